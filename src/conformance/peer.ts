import type { BindingName, OperationName } from "../protocol/operations.js";
import { at, listAt, textAt, type Unchecked } from "./json.js";
import type { OtherCaller, Received } from "./wire.js";

/** Headers with changes applied: a value replaces a header, undefined removes it. Names are in lower case. */
export function headersOf(
  usual: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const headers: Record<string, string> = { ...usual };
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete headers[name.toLowerCase()];
    else headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** A URL with parameters added to its query. */
export function urlWith(url: string, query: Readonly<Record<string, string>> = {}): string {
  const text = new URLSearchParams(query).toString();
  if (text === "") return url;
  return `${url}${url.includes("?") ? "&" : "?"}${text}`;
}

const ERROR_INFO = /google\.rpc\.ErrorInfo$/;
const BAD_REQUEST = /google\.rpc\.BadRequest$/;

/** Reads an error: JSON-RPC has the details in `data`, HTTP+JSON in `details`. Errors of gRPC have the form of HTTP+JSON. */
export function readError(error: Unchecked): WireError {
  const details = at(error, "data") ?? at(error, "details");
  const list = Array.isArray(details) ? (details as readonly Unchecked[]) : [];
  const info = list.find((detail) => ERROR_INFO.test(textAt(detail, "@type")));
  const violations = list
    .filter((detail) => BAD_REQUEST.test(textAt(detail, "@type")))
    .flatMap((detail) => listAt(detail, "fieldViolations"));
  return {
    code: at(error, "code"),
    message: at(error, "message"),
    status: at(error, "status"),
    details,
    reason: textAt(info, "reason"),
    fields: violations.map((violation) => textAt(violation, "field")),
  };
}

/** An error as received, in a form common to all bindings. */
interface WireError {
  /** JSON-RPC code, or the `code` of the error body. */
  readonly code: Unchecked;
  readonly message: Unchecked;
  /** Name of the status; undefined over JSON-RPC. */
  readonly status: Unchecked;
  /** `data` or `details` as received. */
  readonly details: Unchecked;
  /** `reason` of the ErrorInfo; `""` if there is none. */
  readonly reason: string;
  /** Fields that the BadRequest detail names. */
  readonly fields: readonly string[];
}

/** An answer to an operation. */
export interface PeerAnswer extends Received {
  readonly binding: BindingName;
  /** The body as JSON; undefined if it is not JSON. */
  readonly value: Unchecked;
  /** The result, if the call succeeded. */
  readonly result?: Unchecked;
  readonly error?: WireError;
}

/** One event of a stream. */
export interface StreamedEvent {
  /** The StreamResponse, without its envelope. */
  readonly value: Unchecked;
  /** The JSON value of the event's `data`. */
  readonly envelope: Unchecked;
  readonly error?: WireError;
}

/** An open stream. */
export interface EventSource {
  readonly headers: Headers;
  readonly status: number;
  /** Id of the JSON-RPC request that opened the stream; undefined over other bindings. */
  readonly id: Unchecked;
  readonly events: AsyncGenerator<StreamedEvent>;
  close(): void;
}

/** Options of one call. */
export interface PeerCallOptions {
  /** Replace the usual headers; undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The caller, if it is not the main one. */
  readonly as?: OtherCaller;
  /** Appended to the URL. */
  readonly query?: Readonly<Record<string, string>>;
}

/** A request with its own method, path and body. */
export interface RawCall {
  readonly method?: string;
  /** Appended to the URL of the interface. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** An agent over one binding. */
export interface Peer {
  readonly binding: BindingName;
  readonly url: string;
  /** Protocol version of the calls, `Major.Minor`. */
  readonly version: string;
  /** Calls an operation. @throws Unanswered; Inconclusive over gRPC for a request that a message cannot express */
  call(operation: OperationName, params?: object, more?: PeerCallOptions): Promise<PeerAnswer>;
  /** Opens a stream; returns the plain answer if the agent does not open one. @throws as {@link call} */
  open(operation: OperationName, params: object, more?: PeerCallOptions): Promise<PeerAnswer | EventSource>;
  /** Sends a request that no operation describes. @throws Unanswered; Inconclusive over gRPC */
  raw(call: RawCall): Promise<PeerAnswer>;
}
