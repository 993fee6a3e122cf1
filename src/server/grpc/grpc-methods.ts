import type { DescMethod, Message } from "@bufbuild/protobuf";
import {
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
import { GrpcEvents } from "./grpc-events.js";
import type { GrpcExchange } from "./grpc-exchange.js";
import { GrpcCall } from "./grpc-request.js";

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

  constructor(options: GrpcMethodsOptions) {
    this.#options = options;
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
      const reply = await beforeDeadline(this.#answer(method, message, exchange), context);
      const { writeTime } = this.#options.server.settings.limits;
      if (Number.isFinite(writeTime)) exchange.connection.setTimeout(writeTime * 1000, () => exchange.cut());
      return this.#written(method, answerIn(reply, context));
    };
  }

  #streaming(method: DescMethod): (message: Message, context: HandlerContext) => AsyncGenerator<Message> {
    const { streams, settings } = this.#options.server;
    const writePeriods = Math.ceil(settings.limits.writeTime / settings.heartbeat);
    const answer = (message: Message, exchange: GrpcExchange) => this.#answer(method, message, exchange);
    const written = (event: object) => this.#written(method, event);
    return async function* (message, context) {
      const exchange = exchangeOf(context);
      const reply = await beforeDeadline(answer(message, exchange), context);
      if (!("frames" in reply)) {
        answerIn(reply, context);
        return;
      }
      const { signal, responseHeader } = context;
      setMetadata(responseHeader, reply.headers);
      // The agent may take any time to produce the first event.
      exchange.sendHeaders(responseHeader);
      const source = new GrpcEvents({ events: reply.frames, exchange, signal, streams, writePeriods });
      try {
        for (;;) {
          const event = await source.next();
          if (event === undefined) return;
          yield written(event);
        }
      } catch (thrown) {
        throw grpcStatus(A2AError.from(thrown));
      } finally {
        source.release();
      }
    };
  }

  /** Stops the timer that waits for the message, which has arrived, and lets the router answer it. */
  #answer(method: DescMethod, message: Message, exchange: GrpcExchange): Promise<HostResponse<object>> {
    const { server, router, endpoint } = this.#options;
    exchange.arrived();
    try {
      const path = `/${method.parent.typeName}/${method.name}`;
      const call = new GrpcCall(exchange, path, messageJson(method.input, message), server);
      return router.answer(call, endpoint);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw grpcStatus(invalidParams("the message", `must be representable as JSON: ${reason}`));
    }
  }

  #written(method: DescMethod, value: unknown): Message {
    try {
      return messageOf(method.output, value);
    } catch (cause) {
      const error = new A2AError("INVALID_AGENT_RESPONSE", undefined, { cause });
      this.#options.server.settings.logger.error({ err: cause }, `${method.name}: ${error.message}`);
      throw grpcStatus(error);
    }
  }
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
