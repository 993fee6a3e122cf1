import { A2AError, RETRY_SECONDS } from "../protocol/errors.js";
import { newestCodec } from "../versions/codecs.js";
import type { AgentServer } from "./agent-server.js";
import { errorReply } from "./bindings/http-json/print.js";
import { findPlace } from "./bindings/http-json/routes.js";
import { A2A_JSON_TYPE, prefersHtml, replyType } from "./bindings/media-type.js";
import { allowOrigin, isPreflight, preflightReply, withMoreHeaders } from "./cors.js";
import { documentsOf, pagesOf, type ServedDocument } from "./documents/documents.js";
import type { Endpoint } from "./endpoints.js";
import type { BodyReply, HostRequest, HostResponse } from "./host.js";
import type { ReplyHeaders } from "./operation-request.js";
import { refuse, respond } from "./pipeline.js";
import { RequestLine } from "./request-log.js";
import type { ServerRequest } from "./server-request.js";

/** The parts of a request that choose its route. */
interface Asking {
  readonly method?: string | undefined;
  readonly headers: HostRequest["headers"];
}

/** A route: a binding of an agent, or a document. */
export type ServedRoute = Endpoint | ServedDocument;

/** Maximum number of header fields. Beyond its own limit Node silently drops fields, and those of a proxy come last. */
export const MAX_HEADER_FIELDS = 256;
/** Maximum number of characters in the path of an operation. Its three ids of 256 bytes have up to 2304 when percent-encoded. */
const MAX_PATH = 8192;
/** Maximum number of characters of an origin in a log line. */
const SHOWN_ORIGIN = 200;
const OPERATION_VERBS = "GET, POST, DELETE";
const DOCUMENT_VERBS = "GET, HEAD";

/**
 * Finds the route of a request and answers it, for every host: reads the body within limits and passes the request to the pipeline. Errors
 * are reported in the form of the binding.
 */
export class Router {
  /** The documents of the server and its agents, by path. */
  readonly documents: ReadonlyMap<string, ServedDocument>;
  /** The HTML pages, by path. Requests at the same paths that do not prefer HTML are for the bindings. */
  readonly pages: ReadonlyMap<string, ServedDocument>;
  readonly #server: AgentServer;

  constructor(server: AgentServer) {
    this.#server = server;
    this.documents = documentsOf(server);
    this.pages = pagesOf(server);
  }

  /** The route for a percent-encoded path; undefined if the path belongs to no agent and no document. */
  find(path: string, request: Asking): ServedRoute | undefined {
    return this.#pageFor(path, request) ?? this.documents.get(path) ?? this.#server.endpoints.find(path);
  }

  /**
   * Whether an application around the agents may have a route for the path: the path is below an agent at the root and is no operation of
   * any version, or belongs to a document that gives way to the application.
   */
  isElsewhere(path: string, route: ServedRoute): boolean {
    if (!("binding" in route)) return route.yields === true;
    const { codecs } = route.mount.served;
    return (
      route.path === "" && path !== "/" && [...codecs.values()].every((codec) => !findPlace(path, codec))
    );
  }

  /** The page at a path, if the request prefers HTML. */
  #pageFor(path: string, request: Asking): ServedDocument | undefined {
    if (!isReading(request)) return undefined;
    const page = this.pages.get(path);
    return page !== undefined && prefersHtml(request) ? page : undefined;
  }

  /** Answers a request. Never rejects: a failure becomes an error reply. */
  answer<Frame = string>(
    request: ServerRequest,
    route: Endpoint<Frame> | ServedDocument,
  ): Promise<HostResponse<Frame>> {
    const { logger } = this.#server.settings;
    const line = logger.isLevelEnabled?.("debug") === false ? undefined : new RequestLine(request, logger);
    const reply = "binding" in route ? this.#operation(request, route) : this.#document(request, route);
    return line === undefined ? reply : reply.then(line.answered);
  }

  /**
   * The reply to a request that fails outside of the pipeline: before it, or because its reply cannot be sent. The reply has the shape of
   * the caller's version if the header, the path or the agent determines it.
   * @param route undefined if the request has no route
   */
  refuse(request: ServerRequest, thrown: unknown, route?: Endpoint<unknown> | ServedDocument): BodyReply {
    const error = A2AError.from(thrown);
    const { appLimits, settings } = this.#server;
    request.refusal = error.code;
    appLimits.observer?.refused(request.agent, error, { request });
    if (error.code === "INTERNAL_ERROR") settings.logger.error({ err: error.cause }, "A request failed");
    if (route !== undefined && "binding" in route) {
      const reply = refuse(error, { host: request, binding: route.binding, agent: route.mount.served });
      return withMoreHeaders(reply, allowOrigin(request, settings.cors));
    }
    const reply = errorReply(error, { type: this.#typeFor(request) });
    return route === undefined || route.sameOrigin
      ? reply
      : withMoreHeaders(reply, allowOrigin(request, true));
  }

  /** The reply to a request without a route. */
  nothingHere(request: ServerRequest): BodyReply {
    return this.refuse(request, new A2AError("METHOD_NOT_FOUND", "There is nothing here"));
  }

  /** The reply to a request line without a valid path. */
  get invalidAddress(): BodyReply {
    const error = new A2AError("INVALID_REQUEST", "The request line has no valid path");
    return errorReply(error, { type: this.#server.settings.mediaType ?? A2A_JSON_TYPE });
  }

  async #operation<Frame>(request: ServerRequest, endpoint: Endpoint<Frame>): Promise<HostResponse<Frame>> {
    const { rateLimits } = this.#server.appLimits;
    const { binding, mount } = endpoint;
    const allowed = this.#headersOf(request);
    if (isPreflight(request)) {
      this.#warnOfOrigin(request, allowed);
      return preflightReply(request, allowed, OPERATION_VERBS);
    }
    request.path = request.path.slice(endpoint.path.length) || "/";
    request.mount = mount;
    try {
      rateLimits?.checkAddress(request);
      checkLength(request);
      if (this.#server.loading !== undefined) await this.#server.loading;
      if (this.#server.closing) throw new A2AError("UNAVAILABLE", undefined, { retryAfter: RETRY_SECONDS });
      request.body = await request.readBody();
      const reply = await respond(request, binding, mount.served);
      void rateLimits?.countRefused(request);
      return withMoreHeaders(reply, allowed);
    } catch (error) {
      // A request that is refused because the server is full does not count against its address.
      if (A2AError.from(error).code !== "UNAVAILABLE") void rateLimits?.countRefused(request);
      return this.refuse(request, error, endpoint);
    }
  }

  /** Headers of the reply to an operation. If the path also has a page, `Vary` lets caches distinguish the two. */
  #headersOf(request: ServerRequest): ReplyHeaders {
    const allowed = allowOrigin(request, this.#server.settings.cors);
    if (!isReading(request) || !this.pages.has(request.path)) return allowed;
    return { ...allowed, Vary: allowed.Vary === undefined ? "Accept" : `Accept, ${allowed.Vary}` };
  }

  /** Logs which option would allow a refused origin, because a browser does not show its page the reason. */
  #warnOfOrigin({ headers }: ServerRequest, allowed: ReplyHeaders): void {
    const origin = String(headers.origin).slice(0, SHOWN_ORIGIN);
    if (allowed["Access-Control-Allow-Origin"] !== undefined) return;
    const option = `cors: ["${origin}"]`;
    this.#server.settings.logger.warn(
      { origin },
      `Refused a page of ${origin}: the option ${option} lets it call the agent`,
    );
  }

  async #document(request: ServerRequest, document: ServedDocument): Promise<BodyReply> {
    const allowed = allowOrigin(request, document.sameOrigin ? [] : true);
    if (isPreflight(request)) return preflightReply(request, allowed, DOCUMENT_VERBS);
    if (!isReading(request)) return withMoreHeaders(this.#wrongVerb(request), allowed);
    try {
      if (this.#server.loading !== undefined) await this.#server.loading;
      return withMoreHeaders(await document.read(request), allowed);
    } catch (error) {
      return this.refuse(request, error, document);
    }
  }

  #wrongVerb(request: ServerRequest): BodyReply {
    const error = new A2AError("METHOD_NOT_FOUND", `This document allows only ${DOCUMENT_VERBS}`);
    const status = { code: 405, name: "UNIMPLEMENTED" };
    return errorReply(error, { type: this.#typeFor(request), status, headers: { Allow: DOCUMENT_VERBS } });
  }

  /** Media type of a reply in the newest version. */
  #typeFor(request: ServerRequest): string {
    return replyType(request, newestCodec, this.#server.settings.mediaType);
  }
}

function isReading({ method }: Asking): boolean {
  return method === "GET" || method === "HEAD";
}

/** @throws A2AError REQUEST_TOO_LARGE */
function checkLength({ path, fieldCount }: ServerRequest): void {
  if (path.length > MAX_PATH)
    throw new A2AError("REQUEST_TOO_LARGE", `The path has more than ${MAX_PATH} characters`);
  if (fieldCount > MAX_HEADER_FIELDS)
    throw new A2AError("REQUEST_TOO_LARGE", `The request has more than ${MAX_HEADER_FIELDS} header fields`);
}
