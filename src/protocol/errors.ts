import {
  type ErrorRow,
  type ErrorCode as ReleasedCode,
  errors as released,
} from "../../generated/v1.0/errors.js";
import { addedErrors } from "../../generated/v1.1-draft/additions.js";
import { isLonger } from "./byte-length.js";

/** The closed set of error codes: those of the newest released version, and those that drafts add. */
export type ErrorCode = ReleasedCode | keyof typeof addedErrors;

/** Every error by its code: those of the protocol (§5.4), of JSON-RPC (§9.5), and of HTTP, such as `RATE_LIMITED`. */
export const errors: Readonly<Record<ErrorCode, ErrorRow>> = { ...released, ...addedErrors };

/**
 * Seconds in `Retry-After` of a refusal whose reason passes soon: no room for the request now, a server that stops, or a service or hook
 * that does not answer.
 */
export const RETRY_SECONDS = 5;

/** Marks errors that are meant for the caller. Unlike `instanceof`, it works across copies of this package. */
const BRAND = Symbol.for("a2a-parley.error");

/** One error in a request: the path of the member (`message.parts[0].url`) and what would be valid there. */
export interface FieldViolation {
  /** Path of the member; empty for the value as a whole. */
  readonly field: string;
  /** What would be valid. The text follows the path: `must be a string`. */
  readonly description: string;
}

/** Members of an {@link A2AError} besides code and message. */
export interface A2AErrorOptions {
  /** Errors in the request, one per member; sent as a `google.rpc.BadRequest` detail. */
  readonly violations?: readonly FieldViolation[] | undefined;
  /** Machine-readable facts; sent as `metadata` of the `google.rpc.ErrorInfo` detail. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Seconds after which a retry may succeed; sent as `Retry-After`, rounded up, and over gRPC as a RetryInfo. */
  readonly retryAfter?: number | undefined;
  /** How the caller can authenticate (RFC 9110 §11.6.1); sent as `WWW-Authenticate`. */
  readonly challenge?: string | undefined;
  /** The underlying error. For logs only: it is never sent to the caller. */
  readonly cause?: unknown | undefined;
}

/**
 * The only error that is sent to callers (§3.3.2). `code` is the reason (`"TASK_NOT_FOUND"`); number, HTTP status and
 * default text come from the table of errors, which has those of the protocol (§5.4) and others, such as `RATE_LIMITED`.
 * `message` is shown to the caller, `cause` is not.
 *
 * @example
 * ```ts
 * throw new A2AError("TASK_NOT_FOUND", "Task t1 was deleted");
 * ```
 */
export class A2AError extends Error {
  /** The `reason` of `google.rpc.ErrorInfo`; one of a closed list. */
  readonly code: ErrorCode;
  /** Errors in the request, one per member; empty when none are named. */
  readonly violations: readonly FieldViolation[];
  /** Machine-readable facts; may be empty. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Seconds after which a retry may succeed. */
  readonly retryAfter: number | undefined;
  /** Value of `WWW-Authenticate`. */
  readonly challenge: string | undefined;
  readonly [BRAND] = true;

  /** @throws TypeError for a code that is not in the table of errors */
  constructor(code: ErrorCode, message?: string, options: A2AErrorOptions = {}) {
    if (!Object.hasOwn(errors, code))
      throw new TypeError(`A2AError needs a code of the protocol, such as "TASK_NOT_FOUND", not ${code}`);
    super(
      message ?? errors[code].message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = errors[code].name;
    this.code = code;
    this.violations = options.violations ?? [];
    this.metadata = options.metadata ?? {};
    this.retryAfter = options.retryAfter;
    this.challenge = options.challenge;
  }

  /** Code in a JSON-RPC error object (§5.4). */
  get jsonRpcCode(): number {
    return errors[this.code].jsonRpcCode;
  }

  /** Status of an HTTP+JSON response (§5.4). */
  get httpStatus(): number {
    return errors[this.code].httpStatus;
  }

  /** Name of the `google.rpc.Code` in an HTTP+JSON response. */
  get status(): string {
    return errors[this.code].status;
  }

  /**
   * Converts a caught value to an error for the caller. An A2AError keeps its code and text, even from another copy of
   * this package if this one has the code; any other value becomes INTERNAL_ERROR with the value as `cause`, as does an
   * A2AError with a member that cannot be read. Never throws, even when reading the value does.
   */
  static from(value: unknown): A2AError {
    return knownError(value) ?? new A2AError("INTERNAL_ERROR", undefined, { cause: value });
  }
}

/** The members besides code and message that are read to answer or log an error. */
const MEMBERS: readonly (keyof A2AError)[] = [
  "cause",
  "violations",
  "metadata",
  "retryAfter",
  "challenge",
  "jsonRpcCode",
  "httpStatus",
  "status",
];

/**
 * The A2AError that a caught value is, of this or another copy of this package. Undefined for any other value, and if the code is unknown,
 * the message is not a string, or reading a member throws. Never throws.
 */
export function knownError(value: unknown): A2AError | undefined {
  try {
    if (!isBranded(value)) return undefined;
    if (value instanceof A2AError) {
      for (const member of MEMBERS) Reflect.get(value, member);
      return typeof value.message === "string" ? value : undefined;
    }
    return new A2AError(value.code, value.message, {
      ...(value.violations && { violations: value.violations }),
      ...(value.metadata && { metadata: value.metadata }),
      ...(value.retryAfter !== undefined && { retryAfter: value.retryAfter }),
      ...(value.challenge !== undefined && { challenge: value.challenge }),
      cause: value,
    });
  } catch {
    return undefined;
  }
}

/**
 * Creates an error in a request. It has no stack trace: callers can cause any number of these errors, the text says where
 * the mistake is, and a trace would cost more than reading the request. It has one where `Error` is frozen, as with Node's
 * `--frozen-intrinsics`, because the limit on traces cannot be set there, and in engines without such a limit.
 */
export function clientError(code: ErrorCode, message?: string, options?: A2AErrorOptions): A2AError {
  const { stackTraceLimit } = Error;
  limitTrace(0);
  try {
    return new A2AError(code, message, options);
  } finally {
    limitTrace(stackTraceLimit);
  }
}

function limitTrace(frames: number): void {
  try {
    Error.stackTraceLimit = frames;
  } catch {
    // Error is frozen.
  }
}

/**
 * Creates INVALID_PARAMS for one member of a request.
 *
 * @param field path of the member, such as `message.parts[0].text`
 * @param description what would be valid
 * @example
 * ```ts
 * throw invalidParams("message.parts[0].text", "must be a number");
 * ```
 */
export function invalidParams(field: string, description: string): A2AError {
  return clientError("INVALID_PARAMS", `Invalid parameters: ${field} ${description}`, {
    violations: [{ field, description }],
  });
}

/**
 * Checks the length of a name that a member contains.
 * @param bytes maximum length; unlimited when undefined
 * @throws A2AError INVALID_PARAMS naming the member
 */
export function checkName(field: string, name: string | undefined, bytes: number | undefined): void {
  if (name === undefined || bytes === undefined || !isLonger(name, bytes)) return;
  throw invalidParams(field, `must have at most ${bytes} bytes`);
}

type Branded = Error & { code: ErrorCode } & Partial<
    Pick<A2AError, "violations" | "metadata" | "retryAfter" | "challenge">
  >;

function isBranded(value: unknown): value is Branded {
  if (typeof value !== "object" || value === null || !(BRAND in value) || !("code" in value)) return false;
  return typeof value.code === "string" && Object.hasOwn(errors, value.code);
}
