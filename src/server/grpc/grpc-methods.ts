import type { DescMethod, Message } from "@bufbuild/protobuf";
import {
  ConnectError,
  type ConnectRouter,
  createContextKey,
  type HandlerContext,
  type MethodImpl,
} from "@connectrpc/connect";
import { messageJson, messageOf } from "../../grpc/service.js";
import { grpcStatus } from "../../grpc/status.js";
import { A2AError, invalidParams } from "../../protocol/errors.js";
import type { AgentServer } from "../agent-server.js";
import type { Endpoint } from "../endpoints.js";
import type { HostResponse, MessageReply } from "../host.js";
import type { Router } from "../router.js";
import { framedMessage } from "./framed-message.js";
import { GrpcEvents } from "./grpc-events.js";
import type { GrpcExchange } from "./grpc-exchange.js";
import { GrpcCall } from "./grpc-request.js";
import { StalledStreams } from "./stalled-streams.js";

/** The exchange of a call, for its method. */
export const exchangeKey = createContextKey<GrpcExchange | undefined>(undefined);

/** HTTP headers that are not sent as metadata. The host itself sends the CORS headers. */
const OF_HTTP = /^(?:access-control-|vary$)/i;

/** The objects that the methods of an agent use. */
interface GrpcMethodsOptions {
  readonly server: AgentServer;
  readonly router: Router;
  readonly endpoint: Endpoint<object>;
}

/** The methods of an agent's gRPC services. Each call passes the router and the pipeline like every other request. */
export class GrpcMethods {
  readonly #options: GrpcMethodsOptions;
  readonly #answers: StalledStreams;

  constructor(options: GrpcMethodsOptions) {
    this.#options = options;
    this.#answers = new StalledStreams(options.server);
  }

  /** Adds the methods to a router of Connect. */
  serve(router: ConnectRouter, methods: readonly DescMethod[]): void {
    for (const method of methods) {
      const isStream = method.methodKind === "server_streaming";
      const answer = isStream ? this.#streaming(method) : this.#unary(method);
      router.rpc(method, answer as MethodImpl<DescMethod>);
    }
  }

  #unary(method: DescMethod): (message: Message, context: HandlerContext) => Promise<Message> {
    return async (message, context) => {
      const exchange = exchangeOf(context);
      const call = this.#call(method, message, exchange);
      const reply = await beforeDeadline(this.#answer(call), context);
      exchange.cutWhenStalled(this.#answers, call.address);
      return this.#message(method, answerIn(reply, context));
    };
  }

  /** The method writes its messages itself, see {@link GrpcEvents}. Connect writes the status. */
  #streaming(method: DescMethod): (message: Message, context: HandlerContext) => AsyncIterable<never> {
    const { streams } = this.#options.server;
    const send = async (message: Message, context: HandlerContext): Promise<void> => {
      const exchange = exchangeOf(context);
      const call = this.#call(method, message, exchange);
      const reply = await beforeDeadline(this.#answer(call), context);
      if (!("frames" in reply)) {
        answerIn(reply, context);
        return;
      }
      const { signal, responseHeader } = context;
      setMetadata(responseHeader, reply.headers);
      // The agent may take any time to produce the first event.
      exchange.sendHeaders(responseHeader);
      exchange.cutWhenStalled(this.#answers, call.address);
      const isJson = responseHeader.get("content-type")?.endsWith("json") ?? false;
      const frame = (event: object) => framedMessage(method.output, this.#message(method, event), isJson);
      const { frames: events } = reply;
      const { room: answer } = call;
      const stream = new GrpcEvents({ events, frame, exchange, answer, signal, streams });
      await stream.run();
    };
    return (message, context) => onlyEnd(() => send(message, context).catch(fail));
  }

  /** The call of a method. Stops the timer that waits for the message, which has arrived. */
  #call(method: DescMethod, message: Message, exchange: GrpcExchange): GrpcCall {
    exchange.arrived();
    const path = `/${method.parent.typeName}/${method.name}`;
    try {
      return new GrpcCall(exchange, path, messageJson(method.input, message), this.#options.server);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw grpcStatus(invalidParams("the message", `must be representable as JSON: ${reason}`));
    }
  }

  #answer(call: GrpcCall): Promise<HostResponse<object>> {
    const { router, endpoint } = this.#options;
    return router.answer(call, endpoint);
  }

  /** @throws ConnectError for a value that does not fit the message */
  #message(method: DescMethod, value: unknown): Message {
    try {
      return messageOf(method.output, value);
    } catch (cause) {
      const error = new A2AError("INVALID_AGENT_RESPONSE", undefined, { cause });
      this.#options.server.settings.logger.error({ err: cause }, `${method.name}: ${error.message}`);
      throw grpcStatus(error);
    }
  }
}

/** A stream without messages for Connect, which ends when a promise is fulfilled. */
function onlyEnd(run: () => Promise<void>): AsyncIterable<never> {
  const next = (): Promise<IteratorResult<never, undefined>> =>
    run().then(() => ({ done: true, value: undefined }));
  return { [Symbol.asyncIterator]: () => ({ next }) };
}

function fail(thrown: unknown): never {
  throw thrown instanceof ConnectError ? thrown : grpcStatus(A2AError.from(thrown));
}

function exchangeOf({ values }: HandlerContext): GrpcExchange {
  return values.get(exchangeKey) as GrpcExchange;
}

/** @throws ConnectError for an error */
function answerIn(reply: HostResponse<object>, { responseHeader }: HandlerContext): unknown {
  const { headers, message } = reply as MessageReply;
  if (message instanceof A2AError) throw grpcStatus(message, metadataOf(headers));
  setMetadata(responseHeader, headers);
  return message;
}

function setMetadata(metadata: Headers, headers: MessageReply["headers"]): void {
  for (const name in headers) if (!OF_HTTP.test(name)) metadata.set(name, headers[name] as string);
}

function metadataOf(headers: MessageReply["headers"]): Record<string, string> {
  const metadata = Object.entries(headers).filter(([name]) => !OF_HTTP.test(name));
  return Object.fromEntries(metadata.map(([name, value]) => [name.toLowerCase(), value]));
}

/** Rejects with DEADLINE_EXCEEDED when the caller's deadline passes. The task continues (§3.1.1). */
function beforeDeadline<Reply>(reply: Promise<Reply>, context: HandlerContext): Promise<Reply> {
  if (context.timeoutMs() === undefined) return reply;
  return new Promise((resolve, reject) => {
    const { signal } = context;
    const passed = () => reject(grpcStatus(new A2AError("DEADLINE_EXCEEDED")));
    signal.addEventListener("abort", passed, { once: true });
    reply.then(resolve, reject).finally(() => signal.removeEventListener("abort", passed));
  });
}
