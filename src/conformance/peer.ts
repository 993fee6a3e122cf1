import type { BindingName, OperationName } from "../protocol/operations.js";
import { at, listAt, textAt, type Unchecked } from "./json.js";
import type { OtherCaller, Received } from "./wire.js";

/** Headers with changes: a value replaces one, undefined takes it out. Names are in lower case. */
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

/** A URL with more in its query. */
export function urlWith(url: string, query: Readonly<Record<string, string>> = {}): string {
  const text = new URLSearchParams(query).toString();
  if (text === "") return url;
  return `${url}${url.includes("?") ? "&" : "?"}${text}`;
}

const ERROR_INFO = /google\.rpc\.ErrorInfo$/;
const BAD_REQUEST = /google\.rpc\.BadRequest$/;

/** Reads the error of either binding: `data` holds in one what `details` holds in the other. */
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

/** An error as it stood on the wire, whatever the binding. */
interface WireError {
  /** JSON-RPC code, or the `code` of the error body. */
  readonly code: Unchecked;
  readonly message: Unchecked;
  /** Name of the status in HTTP+JSON. */
  readonly status: Unchecked;
  /** `data` or `details` as it came. */
  readonly details: Unchecked;
  /** `reason` of the ErrorInfo, `""` when there is none. */
  readonly reason: string;
  /** Fields that BadRequest details name. */
  readonly fields: readonly string[];
}

/** An answer to an operation. */
export interface PeerAnswer extends Received {
  readonly binding: BindingName;
  /** The body as JSON; undefined when it is none. */
  readonly value: Unchecked;
  /** The result, when the call succeeded. */
  readonly result?: Unchecked;
  readonly error?: WireError;
}

/** One event of a stream. */
export interface StreamedEvent {
  /** The StreamResponse, out of its envelope. */
  readonly value: Unchecked;
  /** What `data` held. */
  readonly envelope: Unchecked;
  readonly error?: WireError;
}

/** A stream that was opened. */
export interface EventSource {
  readonly headers: Headers;
  readonly status: number;
  /** Id of the request that opened it, in JSON-RPC. */
  readonly id: Unchecked;
  readonly events: AsyncGenerator<StreamedEvent>;
  close(): void;
}

/** What a call has besides its parameters. */
export interface PeerCallOptions {
  /** Take the place of the usual ones; undefined takes one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Who calls, when it is not the caller. */
  readonly as?: OtherCaller;
  /** Appended to the URL. */
  readonly query?: Readonly<Record<string, string>>;
}

/** A request that is written by hand. */
export interface RawCall {
  readonly method?: string;
  /** Below the interface's URL. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** An agent over one binding. */
export interface Peer {
  readonly binding: BindingName;
  readonly url: string;
  /** Protocol version that it is called in, `Major.Minor`. */
  readonly version: string;
  call(operation: OperationName, params?: object, more?: PeerCallOptions): Promise<PeerAnswer>;
  /** Opens a stream; an answer, where the agent gives none. */
  open(operation: OperationName, params: object, more?: PeerCallOptions): Promise<PeerAnswer | EventSource>;
  raw(call: RawCall): Promise<PeerAnswer>;
}
