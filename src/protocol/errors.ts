import { type ErrorCode, errors } from "../../generated/v1.0/errors.js";
import { isLonger } from "./byte-length.js";

export type { ErrorCode };

/** Marks errors that are meant for the caller. Recognised across copies of this package, where `instanceof` is not. */
const BRAND = Symbol.for("a2a-parley.error");

/** One fault in a request: the JSON path of the member (`message.parts[0].url`) and what would be valid there. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** What an {@link A2AError} carries besides code and message. */
export interface A2AErrorOptions {
  /** Faults in the request, one per member; sent as a `google.rpc.BadRequest` detail. */
  readonly violations?: readonly FieldViolation[];
  /** Flat facts for the machine on the other side; sent as `metadata` of the `google.rpc.ErrorInfo` detail. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Seconds after which a retry may succeed; sent as `Retry-After`. */
  readonly retryAfter?: number;
  /** How the caller can identify itself (RFC 9110 §11.6.1); sent as `WWW-Authenticate`. */
  readonly challenge?: string;
  /** What really happened. For logs only: it never reaches the caller. */
  readonly cause?: unknown;
}

/**
 * The one error that crosses the wire (§3.3.2). `code` is the protocol's reason word (`"TASK_NOT_FOUND"`); number, HTTP
 * status and default text follow from the error table of the specification. `message` is shown to the caller, `cause` is not.
 */
export class A2AError extends Error {
  /** One of a closed list; the `reason` of `google.rpc.ErrorInfo`. */
  readonly code: ErrorCode;
  readonly violations: readonly FieldViolation[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly retryAfter: number | undefined;
  readonly challenge: string | undefined;
  readonly [BRAND] = true;

  constructor(code: ErrorCode, message?: string, options: A2AErrorOptions = {}) {
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

  /** Number in a JSON-RPC error object (§5.4). */
  get jsonRpcCode(): number {
    return errors[this.code].jsonRpcCode;
  }

  /** Status of an HTTP+JSON answer (§5.4). */
  get httpStatus(): number {
    return errors[this.code].httpStatus;
  }

  /** Word of `google.rpc.Code` in an HTTP+JSON answer. */
  get status(): string {
    return errors[this.code].status;
  }

  /**
   * The only way from a caught value to an error for the caller. What is already meant for the caller keeps its code and
   * text, also when another copy of this package made it; everything else becomes INTERNAL_ERROR with the value as `cause`.
   * Never throws, also when reading the value does.
   */
  static from(value: unknown): A2AError {
    try {
      return known(value) ?? new A2AError("INTERNAL_ERROR", undefined, { cause: value });
    } catch {
      return new A2AError("INTERNAL_ERROR", undefined, { cause: value });
    }
  }
}

/** The error for the caller that a value is; undefined when it is meant for nobody but the log. */
function known(value: unknown): A2AError | undefined {
  if (value instanceof A2AError) return value;
  if (!isBranded(value)) return undefined;
  return new A2AError(value.code, value.message, {
    ...(value.violations && { violations: value.violations }),
    ...(value.metadata && { metadata: value.metadata }),
    ...(value.retryAfter !== undefined && { retryAfter: value.retryAfter }),
    ...(value.challenge !== undefined && { challenge: value.challenge }),
    cause: value,
  });
}

/**
 * An error that says what is wrong with a request. Callers can cause as many of them as they like, and the text tells where the
 * fault is: there is no trace of the stack, which would cost more than reading the request.
 */
export function clientError(code: ErrorCode, message?: string, options?: A2AErrorOptions): A2AError {
  return withoutTrace(() => new A2AError(code, message, options));
}

/**
 * Runs something whose errors need no trace of the stack. They have one where `Error` is frozen, as with `--frozen-intrinsics` of Node:
 * an assignment would throw there.
 */
export function withoutTrace<Result>(run: () => Result): Result {
  const { stackTraceLimit } = Error;
  Reflect.set(Error, "stackTraceLimit", 0);
  try {
    return run();
  } finally {
    Reflect.set(Error, "stackTraceLimit", stackTraceLimit);
  }
}

/** INVALID_PARAMS for one member: where and why. */
export function invalidParams(field: string, description: string): A2AError {
  return clientError("INVALID_PARAMS", `Invalid parameters: ${field} ${description}`, {
    violations: [{ field, description }],
  });
}

/**
 * INVALID_PARAMS when the name in a member takes more bytes than names may have.
 * @param bytes without it, names may have any length
 */
export function demandName(field: string, name: string | undefined, bytes: number | undefined): void {
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
