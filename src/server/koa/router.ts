import type { ServerResponse } from "node:http";
import type { Context, Next } from "koa";
import { A2AError } from "../../protocol/errors.js";
import { newestCodec } from "../../versions/codecs.js";
import { errorReply } from "../bindings/http-json/print.js";
import { A2A_JSON_TYPE, replyType } from "../bindings/media-type.js";
import type { Endpoint } from "../endpoints.js";
import type { StreamReply } from "../host.js";
import { refuse, respond } from "../pipeline.js";
import { allowOrigin, answerPreflight, isPreflight } from "./cors.js";
import { discardBody } from "./discard-body.js";
import { type Documents, documents } from "./documents.js";
import { endOfTurn } from "./end-of-turn.js";
import { EventStream } from "./event-stream.js";
import { NodeRequest } from "./node-request.js";
import { isAhead, Pipelining } from "./pipelining.js";
import { type BodyReader, bodyReader } from "./read-body.js";
import { send } from "./send.js";
import type { AgentServer } from "./site.js";

/** Seconds after which a caller may try again when the server is being restarted. */
const RESTART_SECONDS = 5;
/** Header fields of a request. Node drops those beyond its own bound without a word, and a proxy adds its own at the end. */
export const MAX_HEADER_FIELDS = 256;
/** Longest path of an operation, in characters: its three names at their longest, percent-encoded, have a quarter of that. */
const MAX_PATH = 8192;
const HSTS = "max-age=31536000";
const OPERATION_VERBS = "GET, POST, DELETE";
const DOCUMENT_VERBS = "GET, HEAD";

/**
 * The middleware of an app: finds out what a request is for, reads its body within limits, lets the binding answer, and
 * sends the answer. Whatever happens, the answer is JSON in the binding's own form.
 */
export class Router {
  readonly #site: AgentServer;
  readonly #documents: Documents;
  readonly #readBody: BodyReader;
  readonly #mediaType: string | undefined;
  readonly #secure: boolean;
  readonly #left: (this: ServerResponse) => void;
  readonly #pipelining: Pipelining;

  constructor(site: AgentServer) {
    const { mediaType, limits, publicUrl } = site.settings;
    this.#site = site;
    this.#left = function () {
      site.leave();
      site.readers.delete(this);
    };
    this.#pipelining = new Pipelining(site.supervision.received);
    this.#documents = documents(site);
    this.#readBody = bodyReader(limits.body, site.supervision.received);
    this.#mediaType = mediaType;
    this.#secure = publicUrl?.startsWith("https:") ?? false;
  }

  /** Answers a request; passes on what belongs to no agent, so that an application can have routes of its own. */
  async handle(ctx: Context, next: Next): Promise<void> {
    const site = this.#site;
    if (isAhead(ctx.res) && !(await this.#pipelining.turn(ctx))) {
      ctx.respond = false;
      return;
    }
    this.#count(ctx.res);
    try {
      if (this.#secure) ctx.set("Strict-Transport-Security", HSTS);
      const path = pathOf(ctx);
      if (path === undefined) return this.#nonsense(ctx);
      if (this.#documents.paths.has(path)) return await this.#document(ctx, next);
      const endpoint = site.endpoints.find(path);
      if (endpoint === undefined) return await this.#stranger(ctx, next);
      await this.#operation(ctx, endpoint, path);
    } finally {
      if (site.closing && !ctx.res.headersSent) ctx.set("Connection", "close");
    }
  }

  /** Counts a request until its answer has left, or cannot leave any more. */
  #count(res: ServerResponse): void {
    if (res.closed) return;
    this.#site.enter();
    res.once("close", this.#left);
  }

  async #operation(ctx: Context, endpoint: Endpoint, path: string): Promise<void> {
    allowOrigin(ctx, this.#site.settings.cors);
    if (isPreflight(ctx)) return answerPreflight(ctx, OPERATION_VERBS);
    const { binding, mount } = endpoint;
    const request = new NodeRequest(ctx, path.slice(endpoint.path.length) || "/", this.#site, mount);
    const { rateLimits } = this.#site.supervision;
    this.#site.readers.add(ctx.res);
    try {
      rateLimits?.demandOpen(request);
      demandShort(ctx, request.path);
      if (this.#site.loading !== undefined) await this.#site.loading;
      if (this.#site.closing) throw new A2AError("UNAVAILABLE", undefined, { retryAfter: RESTART_SECONDS });
      request.body = await this.#readBody(ctx, request);
      const reply = await respond(request, binding, mount.served);
      void rateLimits?.countRefused(request);
      if ("frames" in reply) await this.#stream(ctx, request, reply);
      else {
        await endOfTurn();
        send(ctx, reply, request.room);
      }
    } catch (error) {
      // That the server has no room is not the caller's doing.
      if (A2AError.from(error).code !== "UNAVAILABLE") void rateLimits?.countRefused(request);
      this.#refuse(ctx, error, { endpoint, request });
    } finally {
      discardBody(ctx.req);
    }
  }

  async #stream(ctx: Context, request: NodeRequest, reply: StreamReply): Promise<void> {
    const { streams, settings } = this.#site;
    const abort = () => request.abort();
    const { logger } = settings;
    const ended = new EventStream({ answer: request.room, reply, abort, streams, logger }).run();
    ctx.respond = false;
    await ended;
  }

  async #document(ctx: Context, next: Next): Promise<void> {
    allowOrigin(ctx, true);
    if (isPreflight(ctx)) return answerPreflight(ctx, DOCUMENT_VERBS);
    if (ctx.method !== "GET" && ctx.method !== "HEAD") return this.#wrongVerb(ctx);
    this.#site.readers.add(ctx.res);
    try {
      if (this.#site.loading !== undefined) await this.#site.loading;
      await this.#documents.middleware(ctx, next);
    } catch (error) {
      this.#refuse(ctx, error);
    }
  }

  /** A path of no agent: the application may know it. Its errors are its own. */
  async #stranger(ctx: Context, next: Next): Promise<void> {
    await next();
    if (ctx.status === 404 && ctx.body === undefined && ctx.respond !== false) {
      this.#refuse(ctx, new A2AError("METHOD_NOT_FOUND", "There is nothing here"));
    }
  }

  /** A request line without a path that can be told from it. */
  #nonsense(ctx: Context): void {
    const error = new A2AError("INVALID_REQUEST", "The request line holds no valid address");
    send(ctx, errorReply(error, { type: this.#mediaType ?? A2A_JSON_TYPE }));
  }

  #wrongVerb(ctx: Context): void {
    const error = new A2AError("METHOD_NOT_FOUND", `This document takes ${DOCUMENT_VERBS}`);
    const type = this.#typeFor(ctx);
    const status = { code: 405, name: "UNIMPLEMENTED" };
    send(ctx, errorReply(error, { type, status, headers: { Allow: DOCUMENT_VERBS } }));
  }

  /** Media type of a reply in the newest version. */
  #typeFor({ req }: Context): string {
    return replyType(req, newestCodec, this.#mediaType);
  }

  /** A request that is for no agent in particular. */
  #requestOf(ctx: Context): NodeRequest {
    return new NodeRequest(ctx, ctx.path, this.#site, this.#site.main);
  }

  /** The caller reads it in its own version where the header, the path or the agent tells which that is. */
  #refuse(ctx: Context, thrown: unknown, { endpoint, request = this.#requestOf(ctx) }: Refused = {}): void {
    const error = A2AError.from(thrown);
    const { logger } = this.#site.settings;
    this.#site.supervision.observer?.refused(request.agent, error, { request });
    if (error.code === "INTERNAL_ERROR") logger.error({ err: error.cause }, "A request failed");
    const reply =
      endpoint === undefined
        ? errorReply(error, { type: this.#typeFor(ctx) })
        : refuse(error, { host: request, binding: endpoint.binding, agent: endpoint.mount.served });
    send(ctx, reply, request.room);
  }
}

/** A request that is refused: for which endpoint, when it is for one. */
interface Refused {
  readonly endpoint?: Endpoint;
  readonly request?: NodeRequest;
}

/** @throws A2AError REQUEST_TOO_LARGE */
function demandShort({ req }: Context, path: string): void {
  if (path.length > MAX_PATH)
    throw new A2AError("REQUEST_TOO_LARGE", `The path has more than ${MAX_PATH} characters`);
  // Names and values alternate.
  if (req.rawHeaders.length > 2 * MAX_HEADER_FIELDS)
    throw new A2AError("REQUEST_TOO_LARGE", `The request has more than ${MAX_HEADER_FIELDS} header fields`);
}

/** Path of a request, percent-encoding untouched; undefined when the request line is not right, for which Koa throws. */
function pathOf(ctx: Context): string | undefined {
  try {
    return ctx.path;
  } catch {
    return undefined;
  }
}
