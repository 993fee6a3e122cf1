import type { OperationName } from "../../protocol/operations.js";
import type { CallCodec, WireCall } from "../../versions/client-codec.js";
import type { Incoming } from "../exchange.js";

/** A call before it is encoded for a binding. */
export interface WireRequest {
  readonly operation: OperationName;
  readonly codec: CallCodec;
  readonly wire: WireCall;
  /** The operation's request as a JSON object in the shape of the codec's version, without the tenant. */
  readonly value: object;
  readonly tenant: string | undefined;
  /** URL of the agent's interface. */
  readonly url: URL;
  /** Number of the attempt among those of the client, for bindings that number their requests. */
  readonly id: number;
  readonly streaming: boolean;
}

/** A call as an HTTP request. The sender adds the service parameters, the caller's headers and the credentials. */
export interface HttpCall {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Binding whose format the response has, if it is not that of the request. */
  readonly answeredIn?: "HTTP+JSON";
}

/** The client side of a binding. It translates calls and responses and has no effects. */
export interface Transport {
  /**
   * The call as HTTP requests: the usual form, then alternatives for agents that do not know it (§5.3).
   * @param left milliseconds until the first time limit of the attempt ends; `Infinity` without one
   * @throws ClientError INVALID_REQUEST for a value that the binding cannot represent, or an operation that it does not have
   */
  write(request: WireRequest, left: number): readonly [HttpCall, ...HttpCall[]];
  /**
   * The result in a response, as a JSON value.
   * @throws ErrorAnswer when the agent, or a proxy in its place, reports an error; ClientError INVALID_RESPONSE when the response is
   * not a valid one to this call
   */
  readAnswer(incoming: Incoming, request: WireRequest): unknown;
  /** The result in the data of one event of a stream; throws the errors of {@link readAnswer}. */
  readEvent(data: string, request: WireRequest): unknown;
}
