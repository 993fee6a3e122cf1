import type { OperationName } from "../operations.js";
import type { Json } from "./json.js";
import type { Received, Stranger } from "./wire.js";

/** The bindings that agents are checked over. */
export type CheckedBinding = "JSONRPC" | "HTTP+JSON";

/** An error as it stood on the wire, whatever the binding. */
export interface WireError {
  /** JSON-RPC code, or the `code` of the error body. */
  readonly code: Json;
  readonly message: Json;
  /** Name of the status in HTTP+JSON. */
  readonly status: Json;
  /** `data` or `details` as it came. */
  readonly details: Json;
  /** `reason` of the ErrorInfo, `""` when there is none. */
  readonly reason: string;
  /** Fields that BadRequest details name. */
  readonly fields: readonly string[];
}

/** An answer to an operation. */
export interface Answer extends Received {
  readonly binding: CheckedBinding;
  /** The body as JSON; undefined when it is none. */
  readonly value: Json;
  /** The result, when the call succeeded. */
  readonly result?: Json;
  readonly error?: WireError;
}

/** One event of a stream. */
export interface StreamedEvent {
  /** The StreamResponse, out of its envelope. */
  readonly value: Json;
  /** What `data` held. */
  readonly envelope: Json;
  readonly error?: WireError;
}

/** A stream that was opened. */
export interface EventSource {
  readonly headers: Headers;
  readonly status: number;
  /** Id of the request that opened it, in JSON-RPC. */
  readonly id: Json;
  readonly events: AsyncGenerator<StreamedEvent>;
  close(): void;
}

/** What a call has besides its parameters. */
export interface CallMore {
  /** Take the place of the usual ones; undefined takes one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Who calls, when it is not the caller. */
  readonly as?: Stranger;
  /** Put behind the URL. */
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
  readonly binding: CheckedBinding;
  readonly url: string;
  /** Protocol version that it is called in, `Major.Minor`. */
  readonly version: string;
  call(operation: OperationName, params?: object, more?: CallMore): Promise<Answer>;
  /** Opens a stream; an answer, where the agent gives none. */
  open(operation: OperationName, params: object, more?: CallMore): Promise<Answer | EventSource>;
  raw(call: RawCall): Promise<Answer>;
}
