import type { OperationName } from "../../protocol/operations.js";
import type { ClientCodec, WireCall } from "../../versions/client-codec.js";
import type { Incoming } from "../exchange.js";

/** Bindings that this client speaks, as cards name them. */
export type BindingName = "JSONRPC" | "HTTP+JSON";

/** A call that is about to cross the wire. */
export interface WireRequest {
  readonly operation: OperationName;
  readonly codec: ClientCodec;
  readonly wire: WireCall;
  /** The operation's request as a JSON object of its version, without the tenant. */
  readonly value: object;
  readonly tenant: string | undefined;
  /** URL of the agent's interface. */
  readonly url: URL;
  /** Number of the call, for bindings that number them. */
  readonly id: number;
  readonly streaming: boolean;
}

/** A call as HTTP. Parameters that belong to every call are added by the sender. */
export interface HttpCall {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Reads the answer, where it is not one of the binding. */
  readonly readAnswer?: Transport["readAnswer"];
}

/** The client's side of a binding: a pure translation of calls and answers. */
export interface Transport {
  readonly binding: BindingName;
  /**
   * The call as HTTP: the usual form, and behind it those that serve when an agent does not know that one (§5.3).
   * @throws ClientError INVALID_REQUEST for what the binding cannot carry
   */
  write(request: WireRequest): readonly [HttpCall, ...HttpCall[]];
  /**
   * The result in an answer that was read to its end, as a JSON value.
   * @throws RemoteError when the agent reports one; ClientError INVALID_RESPONSE when it is no answer to this call
   */
  readAnswer(incoming: Incoming, request: WireRequest): unknown;
  /**
   * The result in the data of one event of a stream; throws as {@link readAnswer} does.
   */
  readEvent(data: string, request: WireRequest): unknown;
}
