import type { BindingName, OperationName } from "../../protocol/operations.js";
import type { ClientCodec, WireCall } from "../../versions/client-codec.js";
import type { Incoming } from "../exchange.js";

/** A call before it is encoded for a binding. */
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

/** A call as HTTP. The sender adds the parameters of every call. */
export interface HttpCall {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Reads the response, where the binding's own function does not fit. */
  readonly readAnswer?: Transport["readAnswer"];
}

/** The client side of a binding: pure translation of calls and responses. */
export interface Transport {
  readonly binding: BindingName;
  /**
   * The call as HTTP: the usual form, then alternatives for agents that do not know that one (§5.3).
   * @throws ClientError INVALID_REQUEST for what the binding cannot carry
   */
  write(request: WireRequest): readonly [HttpCall, ...HttpCall[]];
  /**
   * The result in a response, as a JSON value.
   * @throws RemoteError when the agent reports one; ClientError INVALID_RESPONSE when it is no response to this call
   */
  readAnswer(incoming: Incoming, request: WireRequest): unknown;
  /** The result in the data of one event of a stream; throws as {@link readAnswer} does. */
  readEvent(data: string, request: WireRequest): unknown;
}
