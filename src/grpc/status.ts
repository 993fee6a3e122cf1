import { fromJson, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import { type Code, ConnectError } from "@connectrpc/connect";
import type { A2AError } from "../protocol/errors.js";
import { errors } from "../protocol/errors.js";
import { errorDetails } from "../versions/codec.js";
import { fileOf } from "./service.js";

/** Numbers of `google.rpc.Code` by name, without OK. */
export const statusNumbers: Readonly<Record<string, number>> = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  DATA_LOSS: 15,
  UNAUTHENTICATED: 16,
};

const text = { label: "LABEL_OPTIONAL", type: "TYPE_STRING" };

/** `google/rpc/error_details.proto`, as far as the library uses it. */
const file = fileOf({
  name: "google/rpc/error_details.proto",
  package: "google.rpc",
  syntax: "proto3",
  messageType: [
    {
      name: "ErrorInfo",
      field: [
        { ...text, name: "reason", number: 1, jsonName: "reason" },
        { ...text, name: "domain", number: 2, jsonName: "domain" },
        {
          name: "metadata",
          number: 3,
          label: "LABEL_REPEATED",
          type: "TYPE_MESSAGE",
          typeName: ".google.rpc.ErrorInfo.MetadataEntry",
          jsonName: "metadata",
        },
      ],
      nestedType: [
        {
          name: "MetadataEntry",
          field: [
            { ...text, name: "key", number: 1, jsonName: "key" },
            { ...text, name: "value", number: 2, jsonName: "value" },
          ],
          options: { mapEntry: true },
        },
      ],
    },
    {
      name: "BadRequest",
      field: [
        {
          name: "field_violations",
          number: 1,
          label: "LABEL_REPEATED",
          type: "TYPE_MESSAGE",
          typeName: ".google.rpc.BadRequest.FieldViolation",
          jsonName: "fieldViolations",
        },
      ],
      nestedType: [
        {
          name: "FieldViolation",
          field: [
            { ...text, name: "field", number: 1, jsonName: "field" },
            { ...text, name: "description", number: 2, jsonName: "description" },
          ],
        },
      ],
    },
    {
      name: "RetryInfo",
      field: [
        {
          name: "retry_delay",
          number: 1,
          label: "LABEL_OPTIONAL",
          type: "TYPE_MESSAGE",
          typeName: ".google.protobuf.Duration",
          jsonName: "retryDelay",
        },
      ],
    },
  ],
  dependency: ["google/protobuf/duration.proto"],
});

const types = new Map(file.messages.map((type) => [type.typeName, type]));
const PREFIX = "type.googleapis.com/";

/** Maximum seconds of a Duration. */
const LONGEST_DELAY = 315_576_000_000;

/** Errors whose gRPC status is not the `status` of their HTTP+JSON body: gRPC has its own for unknown methods. */
const exceptions: Readonly<Record<string, string>> = { METHOD_NOT_FOUND: "UNIMPLEMENTED" };

/**
 * An error as gRPC sends it (§10.6): its status, its text, and in `grpc-status-details-bin` an ErrorInfo with the reason. A BadRequest with
 * the faulty members and a RetryInfo follow if the error has them; a `retryAfter` that is no Duration is left out.
 * @param metadata trailing metadata
 */
export function grpcStatus(error: A2AError, metadata: Readonly<Record<string, string>> = {}): ConnectError {
  const { code, retryAfter } = error;
  // A Duration has at most nine fractional digits.
  const retry =
    retryAfter !== undefined && retryAfter >= 0 && retryAfter <= LONGEST_DELAY
      ? [{ "@type": `${PREFIX}google.rpc.RetryInfo`, retryDelay: `${retryAfter.toFixed(3)}s` }]
      : [];
  const details = [...errorDetails(error), ...retry].flatMap(({ "@type": name, ...value }) => {
    const desc = types.get(String(name).slice(PREFIX.length));
    return desc === undefined ? [] : [{ desc, value: fromJson(desc, value as JsonValue) }];
  });
  const status = statusNumbers[exceptions[code] ?? errors[code].status] as Code;
  return new ConnectError(error.message, status, metadata, details);
}

/** The name of a number of {@link statusNumbers}; UNKNOWN for any other. */
export function statusName(code: number): string {
  return names.get(code) ?? "UNKNOWN";
}

/** A status that was received, as an error of HTTP+JSON has it. */
interface ReceivedStatus {
  /** HTTP status. */
  readonly status: number;
  readonly body: object;
  /** Seconds of a RetryInfo. */
  readonly retryAfter: number | undefined;
  /** Whether the agent or a proxy cannot answer now, so that a stream should be opened again. */
  readonly isTransient: boolean;
  /** Whether Connect has refused an answer that is larger than this client allows. */
  readonly isTooLarge: boolean;
}

/** HTTP statuses by gRPC status. Those that are not listed become 500. */
const httpStatuses: Readonly<Record<string, number>> = {
  CANCELLED: 499,
  INVALID_ARGUMENT: 400,
  DEADLINE_EXCEEDED: 504,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  PERMISSION_DENIED: 403,
  RESOURCE_EXHAUSTED: 429,
  FAILED_PRECONDITION: 400,
  ABORTED: 409,
  OUT_OF_RANGE: 400,
  UNIMPLEMENTED: 501,
  UNAVAILABLE: 503,
  UNAUTHENTICATED: 401,
};
const names = new Map(Object.entries(statusNumbers).map(([name, number]) => [number, name]));
/** How gRPC libraries say that a message is too large: without details, and with the same status as for too many calls. */
const TOO_LARGE = /larger than|exceeds (?:the )?max|too large/i;
/** The name of a protocol error at the beginning of the text, from agents that send no details. */
const NAMED = /^(\w+Error)\b/;
const codes = new Map(Object.entries(errors).map(([code, row]) => [row.name, code]));

/** HTTP status of FAILED_PRECONDITION without details from CancelTask: the task cannot be canceled (agents of 0.3). */
const NOT_CANCELABLE = 409;

/**
 * Reads the status of a failed call.
 * @param method name of the method that was called
 * @returns undefined if the agent did not answer, because the connection failed or was cut
 */
export function receivedStatus(error: unknown, method: string): ReceivedStatus | undefined {
  if (!(error instanceof ConnectError) || isConnectionFailure(error)) return undefined;
  const { code, rawMessage: message } = error;
  const name = statusName(code);
  const details = receivedDetails(error);
  const isOversized = name === "RESOURCE_EXHAUSTED" && details.length === 0 && TOO_LARGE.test(message);
  const isNotCancelable = name === "FAILED_PRECONDITION" && details.length === 0 && method === "CancelTask";
  const usual = isNotCancelable ? NOT_CANCELABLE : (httpStatuses[name] ?? 500);
  const status = isOversized ? errors.REQUEST_TOO_LARGE.httpStatus : usual;
  const retryDelay = details.find(
    (detail): detail is { retryDelay: string } => "retryDelay" in detail,
  )?.retryDelay;
  const type = details.length === 0 ? codes.get(NAMED.exec(message)?.[1] ?? "") : undefined;
  return {
    status,
    body: { error: { code: status, status: name, message, details, type } },
    retryAfter: retryDelay === undefined ? undefined : Number.parseFloat(retryDelay),
    isTransient: name === "UNAVAILABLE" || name === "CANCELLED",
    // The metadata of the error contains the status only if the agent has sent it.
    isTooLarge: isOversized && !error.metadata.has("grpc-status"),
  };
}

/**
 * How Connect says that a stream of HTTP/2 was closed, that a PING was not answered, and that an answer of gRPC-Web has ended without its
 * status.
 */
const CUT = /http\/2 stream closed|PING timed out|protocol error: missing trailer/;

/** Whether the connection failed. Errors of Node have a `code`; an answer of the agent does not cause them. */
function isConnectionFailure({ cause, message }: ConnectError): boolean {
  return (cause instanceof Error && "code" in cause) || CUT.test(message);
}

/** The details of a status as ProtoJSON. Details of other types are left out. */
export function receivedDetails(error: ConnectError): object[] {
  return [...types.values()].flatMap((type) =>
    error.findDetails(type).map((message: Message) => ({
      "@type": PREFIX + type.typeName,
      ...(toJson(type, message) as object),
    })),
  );
}
