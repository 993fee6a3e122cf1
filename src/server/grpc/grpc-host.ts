import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { createConnectRouter, createContextValues } from "@connectrpc/connect";
import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";
import {
  headerGrpcStatus,
  headerStatusDetailsBin,
  parseTimeout,
  setTrailerStatus,
} from "@connectrpc/connect/protocol-grpc";
import { compressionGzip } from "@connectrpc/connect-node";
import { LONGEST_TIMEOUT } from "../../async/clock.js";
import { latestServices, loadService } from "../../grpc/service.js";
import { grpcStatus, statusNumbers } from "../../grpc/status.js";
import type { AgentServer } from "../agent-server.js";
import { grpc } from "../bindings/grpc/print.js";
import { allowOrigin, isPreflight } from "../cors.js";
import type { Endpoint } from "../endpoints.js";
import { callerAddress } from "../forwarded.js";
import type { BodyReply } from "../host.js";
import type { Mount } from "../mount.js";
import { isAhead, Pipelining } from "../node/pipelining.js";
import { send } from "../node/send.js";
import { Router } from "../router.js";
import { GrpcExchange, grpcText, messageTooLarge } from "./grpc-exchange.js";
import { exchangeKey, GrpcMethods } from "./grpc-methods.js";
import { GrpcCall } from "./grpc-request.js";
import { serveHealth } from "./health.js";
import { SHOWN } from "./question.js";

/** Services and protocols in addition to gRPC for the agent. */
export interface GrpcExtras {
  /** Whether health checks are served. */
  readonly health: boolean;
  /** Whether reflection is served, which lists the services and messages. */
  readonly reflection: boolean;
  /** Whether gRPC-Web and the protocol of Connect are served. */
  readonly web: boolean;
}

/** The headers for the deadline of a call, in gRPC and in the protocol of Connect. */
const TIMEOUT = "grpc-timeout";
const CONNECT_TIMEOUT = "connect-timeout-ms";
/** The prefix of gRPC media types. */
const GRPC = "application/grpc";
/** The media types of gRPC. Those of gRPC-Web begin in the same way. */
const GRPC_TYPES = /^application\/grpc(?!-)/;
/** The largest length of a gRPC message, which has 32 bits. */
const MAX_LENGTH = 0xffffffff;
/** Response headers of gRPC-Web and of this package that scripts of other origins may read. */
const EXPOSED = "Grpc-Status, Grpc-Message, Grpc-Status-Details-Bin, First-Event-Id";

/**
 * Answers gRPC calls for one agent, and those of gRPC-Web and Connect if they are served. Connect reads the messages, and writes all but
 * the events of streams. In between, a call passes the router and the pipeline like every other request.
 */
export class GrpcHost {
  readonly #server: AgentServer;
  readonly #router: Router;
  readonly #endpoint: Endpoint<object>;
  readonly #pipelining: Pipelining;
  readonly #handlers = new Map<string, UniversalHandler>();

  private constructor(server: AgentServer, mount: Mount) {
    this.#server = server;
    this.#router = new Router(server);
    this.#endpoint = { mount, binding: grpc, path: "" };
    this.#pipelining = new Pipelining(server.appLimits.received);
  }

  /**
   * Loads the gRPC services of the versions that an agent serves.
   * @param also services and protocols to serve in addition
   */
  static async open(server: AgentServer, mount: Mount, also: GrpcExtras): Promise<GrpcHost> {
    const host = new GrpcHost(server, mount);
    await server.loading;
    const router = createConnectRouter({
      grpc: true,
      grpcWeb: also.web,
      connect: also.web,
      acceptCompression: [compressionGzip],
      // Messages are not compressed: nearly all are small, and callers are often on the same machine or network.
      compressMinBytes: MAX_LENGTH,
      readMaxBytes: Math.min(server.settings.limits.body, MAX_LENGTH),
    });
    const services = await Promise.all(latestServices(mount.served.codecs).map(loadService));
    const methods = new GrpcMethods({ server, router: host.#router, endpoint: host.#endpoint });
    for (const service of services) methods.serve(router, service.methods);
    if (also.health) serveHealth(router, { server, services });
    if (also.reflection) (await import("./reflection.js")).serveReflection(router, services);
    for (const handler of router.handlers) host.#handlers.set(handler.requestPath, handler);
    return host;
  }

  /** Whether the media type of a request is one of gRPC, and not of gRPC-Web. */
  static speaks({ headers }: Pick<IncomingMessage, "headers">): boolean {
    return GRPC_TYPES.test(headers["content-type"] ?? "");
  }

  /** Whether the path of a request to an HTTP server is that of a gRPC method. */
  has(url: string): boolean {
    return this.#handlers.has(this.#pathIn(url));
  }

  /** Answers a request on a gRPC port, over HTTP/2. */
  readonly handle = (req: Http2ServerRequest, res: Http2ServerResponse): void => {
    const handler = this.#handlers.get(req.url);
    if (handler !== undefined) this.#answer(handler, new GrpcExchange(req, res));
    else if (GrpcHost.speaks(req)) unimplemented(res, req.url);
    else refuse(res, constants.HTTP_STATUS_UNSUPPORTED_MEDIA_TYPE);
  };

  /** Answers a gRPC-Web or Connect request to an HTTP server, for which {@link has} has returned true. */
  handleWeb(req: IncomingMessage | Http2ServerRequest, res: ServerResponse | Http2ServerResponse): void {
    const handler = this.#handlers.get(this.#pathIn(req.url ?? ""));
    if (handler === undefined) return;
    const exchange = new GrpcExchange(req, res);
    if (exchange.stream !== undefined || !isAhead(res as ServerResponse)) this.#answer(handler, exchange);
    else
      void this.#pipelining
        .turn(req as IncomingMessage, res as ServerResponse)
        .then((isTurn) => isTurn && this.#answer(handler, exchange));
  }

  #answer(handler: UniversalHandler, exchange: GrpcExchange): void {
    const { settings } = this.#server;
    const { req, connection } = exchange;
    if (connection.closed) return;
    this.#server.enter();
    exchange.expectWithin(settings.limits.requestTime * 1000);
    connection.once("close", () => {
      exchange.arrived();
      this.#server.leave();
    });
    exchange.stream?.once("wantTrailers", () => exchange.discardMessage());
    this.#setHeaders(exchange);
    const { method = "", headers } = req;
    if (isPreflight({ method, headers })) {
      this.#allow(exchange);
      return;
    }
    for (const name of [TIMEOUT, CONNECT_TIMEOUT])
      if (isEndless(name, req.headers[name])) delete req.headers[name];
    const isOfAgent = !handler.service.typeName.startsWith("grpc.");
    const isStreamed = handler.method.methodKind === "bidi_streaming";
    const values = createContextValues().set(exchangeKey, exchange);
    const receiving = {
      limit: settings.limits.body,
      received: this.#server.appLimits.received,
      address: callerAddress(headers, exchange.socket?.remoteAddress, settings.trustProxy),
    };
    Promise.resolve()
      .then(() => handler(exchange.request(isStreamed, values, receiving)))
      .then((reply) => exchange.send(isOfAgent ? this.#withDetails(reply) : reply))
      .catch((err: unknown) => {
        settings.logger.debug({ err }, "A gRPC call broke off");
        exchange.cut();
      })
      .finally(() => exchange.stream ?? exchange.discardMessage());
  }

  /** Sets the headers of every response, and the CORS headers. */
  #setHeaders({ req, res, stream }: GrpcExchange): void {
    const { settings, headers, closing } = this.#server;
    for (const name in headers) res.setHeader(name, headers[name] as string);
    if (closing && stream === undefined) res.setHeader("Connection", "close");
    if (req.headers.origin === undefined) return;
    const allowed = allowOrigin({ method: req.method ?? "", headers: req.headers }, settings.cors);
    for (const name in allowed) res.setHeader(name, allowed[name] as string);
    const exposed = allowed["Access-Control-Expose-Headers"];
    if (exposed !== undefined) res.setHeader("Access-Control-Expose-Headers", `${exposed}, ${EXPOSED}`);
  }

  /** Answers a CORS preflight request as the other bindings do. */
  #allow(exchange: GrpcExchange): void {
    const call = new GrpcCall(exchange, exchange.req.url ?? "", undefined, this.#server);
    void this.#router.answer(call, this.#endpoint).then((reply) =>
      send({
        res: exchange.res as ServerResponse,
        reply: reply as BodyReply,
        headers: this.#server.headers,
      }),
    );
  }

  /** The path of the method, without the path of the agent before it. */
  #pathIn(url: string): string {
    const { prefix } = this.#endpoint.mount;
    return url.startsWith(prefix) ? url.slice(prefix.length) : "";
  }

  /** Adds error details if Connect has refused a message for its size: the status alone could also mean too many calls. */
  #withDetails(reply: UniversalServerResponse): UniversalServerResponse {
    const { trailer } = reply;
    const isOversized = trailer?.get(headerGrpcStatus) === String(statusNumbers.RESOURCE_EXHAUSTED);
    if (trailer && isOversized && !trailer.has(headerStatusDetailsBin))
      setTrailerStatus(trailer, grpcStatus(messageTooLarge(this.#server.settings.limits.body)));
    return reply;
  }
}

/** Whether a deadline is longer than a timer can run. Such a timer would fire at once. */
function isEndless(name: string, deadline: string | readonly string[] | undefined): boolean {
  if (typeof deadline !== "string") return false;
  const milliseconds =
    name === TIMEOUT ? parseTimeout(deadline, Number.POSITIVE_INFINITY).timeoutMs : Number(deadline);
  return (milliseconds ?? 0) > LONGEST_TIMEOUT;
}

/** Answers a call of an unknown method with headers only, which contain the status. */
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
