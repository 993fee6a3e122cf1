import { constants, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { DescMethod, Message } from "@bufbuild/protobuf";
import {
  type ConnectRouter,
  createConnectRouter,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type MethodImpl,
} from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import {
  headerGrpcStatus,
  headerStatusDetailsBin,
  parseTimeout,
  setTrailerStatus,
} from "@connectrpc/connect/protocol-grpc";
import {
  compressionGzip,
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
} from "@connectrpc/connect-node";
import { LONGEST_TIMEOUT } from "../../async/clock.js";
import { loadService, messageJson, messageOf } from "../../grpc/service.js";
import { grpcStatus, statusNumbers } from "../../grpc/status.js";
import { A2AError, invalidParams } from "../../protocol/errors.js";
import type { AgentServer } from "../agent-server.js";
import { grpc } from "../bindings/grpc/print.js";
import type { Endpoint } from "../endpoints.js";
import type { HostResponse, MessageReply } from "../host.js";
import type { Mount } from "../mount.js";
import { Router } from "../router.js";
import { GrpcEvents } from "./grpc-events.js";
import { GrpcCall } from "./grpc-request.js";
import { grpcText } from "./grpc-response.js";
import { serveHealth } from "./health.js";

type Handler = (req: Http2ServerRequest, res: Http2ServerResponse) => void;

/** Services in addition to that of the agent. */
export interface GrpcExtras {
  /** Whether health checks are answered. */
  readonly health: boolean;
  /** Whether clients are told which services and messages exist. */
  readonly reflection: boolean;
}

/** The HTTP/2 request and response of a call, and the timer that cancels the call if its message does not arrive in time. */
interface Exchange {
  readonly req: Http2ServerRequest;
  readonly res: Http2ServerResponse;
  readonly late: NodeJS.Timeout | undefined;
}

const exchangeKey = createContextKey<Exchange | undefined>(undefined);

/** Milliseconds for which a stream with an unread message stays open after its answer. */
const UNREAD_MS = 500;
/** Characters of a path that a refusal repeats. */
const SHOWN = 256;
const TIMEOUT = "grpc-timeout";
/** The prefix of gRPC media types. */
const GRPC = "application/grpc";
/** The largest length of a gRPC message, which has 32 bits. */
const MAX_LENGTH = 0xffffffff;

/**
 * Answers gRPC calls for one agent. Connect reads and writes the frames and messages. In between, a call passes the router and the pipeline
 * like every other request.
 */
export class GrpcHost {
  readonly #server: AgentServer;
  readonly #router: Router;
  readonly #endpoint: Endpoint<object>;
  readonly #handlers = new Map<string, UniversalHandler>();

  private constructor(server: AgentServer, mount: Mount) {
    this.#server = server;
    this.#router = new Router(server);
    this.#endpoint = { mount, binding: grpc, path: "" };
  }

  /**
   * Loads the gRPC services of the versions that an agent serves.
   * @param also what is served in addition
   */
  static async open(server: AgentServer, mount: Mount, also: GrpcExtras): Promise<GrpcHost> {
    const host = new GrpcHost(server, mount);
    await server.loading;
    const router = createConnectRouter({
      grpc: true,
      grpcWeb: false,
      connect: false,
      acceptCompression: [compressionGzip],
      // Messages are not compressed: nearly all are small, and callers are often on the same machine or network.
      compressMinBytes: MAX_LENGTH,
      readMaxBytes: Math.min(server.settings.limits.body, MAX_LENGTH),
    });
    const contracts = [...mount.served.codecs.values()].flatMap((codec) => codec.grpc ?? []);
    const services = await Promise.all(contracts.map(loadService));
    for (const { methods } of services) host.#serve(router, methods);
    if (also.health) serveHealth(router, { server, services, arrived });
    if (also.reflection) (await import("./reflection.js")).serveReflection(router, services);
    for (const handler of router.handlers) host.#handlers.set(handler.requestPath, handler);
    return host;
  }

  /** Whether the media type of a request is one of gRPC. Such requests never reach the HTTP bindings. */
  static speaks({ headers }: Pick<Http2ServerRequest, "headers">): boolean {
    return headers["content-type"]?.startsWith(GRPC) ?? false;
  }

  /** Answers an HTTP/2 request. */
  readonly handle: Handler = (req, res) => {
    const { settings } = this.#server;
    const handler = this.#handlers.get(req.url);
    if (!GrpcHost.speaks(req)) return refuse(res, constants.HTTP_STATUS_UNSUPPORTED_MEDIA_TYPE);
    if (handler === undefined) return unimplemented(res, req.url);
    const { stream } = req;
    this.#server.enter();
    const { requestTime } = settings.limits;
    const late = Number.isFinite(requestTime) ? setTimeout(cancel, requestTime * 1000, stream) : undefined;
    stream.once("close", () => {
      clearTimeout(late);
      this.#server.leave();
    });
    stream.once("wantTrailers", () => stream.readableEnded || discardMessage(stream));
    if (isEndless(req.headers[TIMEOUT])) delete req.headers[TIMEOUT];
    const values = createContextValues().set(exchangeKey, { req, res, late });
    Promise.resolve()
      .then(() => handler(universalRequestFromNodeRequest(req, res, undefined, values)))
      .then((reply) => universalResponseToNodeResponse(this.#withDetails(reply), res))
      .catch((err: unknown) => settings.logger.debug({ err }, "A gRPC call broke off"));
  };

  /** Adds error details if Connect has refused a message for its size: the status alone could also mean too many calls. */
  #withDetails(reply: UniversalServerResponse): UniversalServerResponse {
    const { trailer } = reply;
    const isOversized = trailer?.get(headerGrpcStatus) === String(statusNumbers.RESOURCE_EXHAUSTED);
    if (trailer && isOversized && !trailer.has(headerStatusDetailsBin)) {
      const text = `The message is larger than ${this.#server.settings.limits.body} bytes`;
      setTrailerStatus(trailer, grpcStatus(new A2AError("REQUEST_TOO_LARGE", text)));
    }
    return reply;
  }

  #serve(router: ConnectRouter, methods: readonly DescMethod[]): void {
    for (const method of methods) {
      const isStream = method.methodKind === "server_streaming";
      const answer = isStream ? this.#streaming(method) : this.#unary(method);
      router.rpc(method, answer as MethodImpl<DescMethod>);
    }
  }

  #unary(method: DescMethod): (message: Message, context: HandlerContext) => Promise<Message> {
    return async (message, context) => {
      const call = this.#callOf(method, message, context);
      const reply = await beforeDeadline(this.#router.answer(call, this.#endpoint), context);
      const { writeTime } = this.#server.settings.limits;
      if (Number.isFinite(writeTime))
        call.connection.setTimeout(writeTime * 1000, () => cancel(call.connection));
      return this.#written(method, answerIn(reply, context));
    };
  }

  #streaming(method: DescMethod): (message: Message, context: HandlerContext) => AsyncGenerator<Message> {
    const { streams, settings } = this.#server;
    const writePeriods = Math.ceil(settings.limits.writeTime / settings.heartbeat);
    const answer = (call: GrpcCall) => this.#router.answer(call, this.#endpoint);
    const written = (event: object) => this.#written(method, event);
    const callOf = (message: Message, context: HandlerContext) => this.#callOf(method, message, context);
    return async function* (message, context) {
      const call = callOf(message, context);
      const reply = await beforeDeadline(answer(call), context);
      if (!("frames" in reply)) {
        answerIn(reply, context);
        return;
      }
      setMetadata(context, reply.headers);
      sendMetadata(context);
      const { signal } = context;
      const source = new GrpcEvents({
        events: reply.frames,
        stream: call.connection,
        signal,
        streams,
        writePeriods,
      });
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

  /** Creates the call for a message that has arrived, and stops the timer that waits for it. */
  #callOf(method: DescMethod, message: Message, { values }: HandlerContext): GrpcCall {
    const { req } = values.get(exchangeKey) as Exchange;
    arrived({ values });
    try {
      return new GrpcCall(req, messageJson(method.input, message), this.#server);
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
      this.#server.settings.logger.error({ err: cause }, `${method.name}: ${error.message}`);
      throw grpcStatus(error);
    }
  }
}

/**
 * Discards the rest of a refused message, and closes the stream after a delay: the caller may never end it, and needs time to read the
 * trailers first.
 */
function discardMessage(stream: Http2ServerRequest["stream"]): void {
  stream.removeAllListeners("data").resume();
  const timer = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), UNREAD_MS);
  stream.once("close", () => clearTimeout(timer));
}

function cancel(stream: Http2ServerRequest["stream"]): void {
  stream.close(constants.NGHTTP2_CANCEL);
}

/** The message of a call has arrived, so that nothing of it can be late. */
function arrived({ values }: Pick<HandlerContext, "values">): void {
  clearTimeout(values.get(exchangeKey)?.late);
}

/** @throws ConnectError for an error */
function answerIn(reply: HostResponse<object>, context: HandlerContext): unknown {
  const { headers, message } = reply as MessageReply;
  if (message instanceof A2AError) throw grpcStatus(message, lowerCase(headers));
  setMetadata(context, headers);
  return message;
}

function setMetadata({ responseHeader }: HandlerContext, headers: MessageReply["headers"]): void {
  for (const name in headers) responseHeader.set(name, headers[name] as string);
}

/** Sends the metadata of a stream before its first event, which the agent may take any time to produce. */
function sendMetadata({ values, responseHeader }: HandlerContext): void {
  values.get(exchangeKey)?.res.writeHead(constants.HTTP_STATUS_OK, Object.fromEntries(responseHeader));
}

/** Whether a deadline is longer than a timer can run. Such a timer would fire at once. */
function isEndless(deadline: string | readonly string[] | undefined): boolean {
  if (typeof deadline !== "string") return false;
  return (parseTimeout(deadline, Number.POSITIVE_INFINITY).timeoutMs ?? 0) > LONGEST_TIMEOUT;
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

function lowerCase(headers: MessageReply["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Answers a call of an unknown method: with headers alone, which contain the status. */
function unimplemented({ stream }: Http2ServerResponse, path: string): void {
  const headers = {
    ":status": constants.HTTP_STATUS_OK,
    "content-type": GRPC,
    "grpc-status": String(statusNumbers.UNIMPLEMENTED),
    "grpc-message": grpcText(`There is no method ${path.slice(0, SHOWN)}`),
  };
  if (!stream.destroyed) stream.respond(headers, { endStream: true });
}

function refuse(res: Http2ServerResponse, status: number): void {
  res.writeHead(status);
  res.end();
}
