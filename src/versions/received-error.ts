import { isJsonObject } from "../json/json-text.js";
import type { ErrorCode, FieldViolation } from "../protocol/errors.js";
import { errors } from "../protocol/errors.js";
import { fieldsOf, type OperationName, operation } from "../protocol/operations.js";

/** An error as a binding has read it from a response. */
export interface ReceivedError {
  readonly operation: OperationName;
  readonly message?: string;
  /** Describes a response that is not an error of the protocol, such as a page of a proxy. */
  readonly received?: string;
  readonly jsonRpcCode?: number;
  readonly httpStatus?: number;
  /** Seconds of `Retry-After` or, over gRPC, of the RetryInfo. */
  readonly retryAfter?: number;
  /** `error.data` or `error.details`. */
  readonly details?: unknown;
  /** `type` of a problem document or of an error object. */
  readonly problem?: string;
  /** The code, when the binding knows it. */
  readonly code?: ErrorCode;
}

/** Code of a received error: an {@link ErrorCode}, `BAD_REQUEST` if nothing but the status 400 identifies it (§11.6), or `UNKNOWN`. */
export type RemoteErrorCode = ErrorCode | "BAD_REQUEST" | "UNKNOWN";

/** What an agent reported about a failure. */
export interface RemoteFailure {
  /** Name of the error's type, such as `TaskNotFoundError`; `RemoteError` for the codes `BAD_REQUEST` and `UNKNOWN`. */
  readonly name: string;
  readonly code: RemoteErrorCode;
  readonly message: string;
  readonly operation: OperationName;
  /** Status of the HTTP response, or the equivalent of the gRPC status. For an error in a stream, the status that it names, if any. */
  readonly httpStatus: number | undefined;
  /** Code of a JSON-RPC error. */
  readonly jsonRpcCode: number | undefined;
  /** `reason` of the ErrorInfo detail, unchanged. */
  readonly reason: string | undefined;
  /** Details of the error. */
  readonly details: readonly unknown[];
  /** Metadata of the ErrorInfo detail. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Errors in the request, by member. */
  readonly violations: readonly FieldViolation[];
  /** Seconds after which the agent suggests a retry. */
  readonly retryAfter: number | undefined;
}

/**
 * Interprets a received error. Its code is the one that the binding knows or, in this order, follows from the reason of the ErrorInfo, from
 * the type of the problem document, or from the JSON-RPC code, the HTTP status, the violations and, for a 404 or 409, the operation
 * (§5.4). If these do not determine it, it is `BAD_REQUEST` for the status 400 without a JSON-RPC code, and otherwise `UNKNOWN`.
 */
export function recognizeError(error: ReceivedError): RemoteFailure {
  const details = detailList(error.details);
  const info = detailOf(details, "ErrorInfo");
  const violations = violationsIn(detailOf(details, "BadRequest"));
  const reason = typeof info?.reason === "string" ? info.reason : undefined;
  const code =
    error.code ??
    codeByReason(reason, info) ??
    codeByProblem(error.problem) ??
    codeByNumbers(error, violations);
  return {
    name: isCode(code) ? errors[code].name : "RemoteError",
    code,
    message: error.message || defaultMessage(code, error),
    operation: error.operation,
    httpStatus: error.httpStatus,
    jsonRpcCode: error.jsonRpcCode,
    reason,
    details,
    metadata: textsIn(info?.metadata),
    violations,
    retryAfter: error.retryAfter,
  };
}

const DOMAIN = "a2a-protocol.org";

function codeByReason(reason: string | undefined, info: Detail | undefined): ErrorCode | undefined {
  const isOurs = info?.domain === undefined || info.domain === "" || info.domain === DOMAIN;
  return reason !== undefined && isOurs && isCode(reason) ? reason : undefined;
}

/** `https://…/version-not-supported` is VERSION_NOT_SUPPORTED, also with `-error` at its end. */
function codeByProblem(problem: string | undefined): ErrorCode | undefined {
  const word = problem?.split("/").at(-1)?.replaceAll("-", "_").toUpperCase() ?? "";
  // Some codes end with `_ERROR` themselves.
  return [word, word.replace(/_ERROR$/, "")].find(isCode);
}

function isCode(word: string): word is ErrorCode {
  return Object.hasOwn(errors, word);
}

const rows = Object.entries(errors) as [ErrorCode, (typeof errors)[ErrorCode]][];
const byJsonRpcCode = new Map(
  rows.filter(([, { kind }]) => kind !== "transport").map(([code, row]) => [row.jsonRpcCode, code]),
);

/**
 * Errors by HTTP status. An error of HTTP, such as 401 or 503, takes precedence over the JSON-RPC codes that the protocol does not define
 * itself, such as -32603; the other statuses count only without a JSON-RPC code. Some statuses are those of older versions (§5.4).
 */
const byStatus: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  ...rows
    .filter(([, { kind }]) => kind === "transport")
    .map(([code, { httpStatus }]) => [httpStatus, code] as const),
  [405, "METHOD_NOT_FOUND"],
  [415, "CONTENT_TYPE_NOT_SUPPORTED"],
  [500, "INTERNAL_ERROR"],
  [501, "METHOD_NOT_FOUND"],
  [502, "INVALID_AGENT_RESPONSE"],
]);

function codeByNumbers(error: ReceivedError, violations: readonly FieldViolation[]): RemoteErrorCode {
  const { jsonRpcCode, httpStatus = 200 } = error;
  const byNumber = jsonRpcCode === undefined ? undefined : byJsonRpcCode.get(jsonRpcCode);
  if (byNumber !== undefined && errors[byNumber].kind === "protocol") return byNumber;
  const status = byStatus.get(httpStatus);
  if (jsonRpcCode !== undefined) {
    const isTransport = status !== undefined && errors[status].kind === "transport";
    return isTransport ? status : (byNumber ?? "UNKNOWN");
  }
  if (status !== undefined) return status;
  if (httpStatus === 404) return codeOfNotFound(error.operation);
  if (httpStatus === 409 && error.operation === "CancelTask") return "TASK_NOT_CANCELABLE";
  if (httpStatus === 400) return violations.length > 0 ? "INVALID_PARAMS" : "BAD_REQUEST";
  return "UNKNOWN";
}

/** An operation is about a task if its request has one of these members. */
const OF_TASK: readonly string[] = ["id", "taskId", "message"];

/** Code of a 404 without a reason. If the operation is about a task, the task is unknown; otherwise the method is. */
function codeOfNotFound(name: OperationName): ErrorCode {
  const isOfTask = fieldsOf(operation(name).request).some((field) => OF_TASK.includes(field.name));
  return isOfTask ? "TASK_NOT_FOUND" : "METHOD_NOT_FOUND";
}

type Detail = Readonly<Record<string, unknown>>;

function detailOf(details: readonly unknown[], type: string): Detail | undefined {
  return details.find(
    (detail): detail is Detail =>
      isJsonObject(detail) && textOf(detail["@type"] ?? "").endsWith(`google.rpc.${type}`),
  );
}

function violationsIn(detail: Detail | undefined): FieldViolation[] {
  const list = Array.isArray(detail?.fieldViolations) ? detail.fieldViolations : [];
  return list.filter(isJsonObject).map((violation) => ({
    field: textOf(violation.field ?? ""),
    description: textOf(violation.description ?? ""),
  }));
}

function textsIn(metadata: unknown): Record<string, string> {
  if (!isJsonObject(metadata)) return {};
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, textOf(value)]));
}

/** A string unchanged, any other value as JSON. `String` would throw for an object with a member `toString`. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The list of details. Older versions allow any value; Parley's servers wrap the list in an object in these. */
function detailList(details: unknown): readonly unknown[] {
  if (Array.isArray(details)) return details;
  if (isJsonObject(details) && Array.isArray(details.details)) return details.details;
  return details === undefined || details === null ? [] : [details];
}

function defaultMessage(code: RemoteErrorCode, { jsonRpcCode, httpStatus, received }: ReceivedError): string {
  if (isCode(code)) return `${errors[code].message}${received === undefined ? "" : `: ${received}`}`;
  const text = "The agent answered with an error without a message";
  if (jsonRpcCode !== undefined) return `${text} (JSON-RPC ${jsonRpcCode})`;
  return httpStatus === undefined ? text : `${text} (status ${httpStatus})`;
}
