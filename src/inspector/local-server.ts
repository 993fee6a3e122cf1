import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { packageVersion } from "../runtime/package-version.js";
import { AgentGuard } from "./agent-guard.js";
import type { ApiFailure, HeaderField, Session } from "./api.js";
import { ApiRefused } from "./api-refused.js";
import { type ApiAnswer, type ApiDeps, routes } from "./api-routes.js";
import { PAGE_HEADER } from "./frames.js";
import { hasToken, isAddressedHere, isOwnPage } from "./local-caller.js";
import { OpenPage } from "./open-page.js";
import { answerFile, findPage, type PageFiles, safeHeaders } from "./page-files.js";
import { Redirects } from "./redirects.js";
import { bodyOf } from "./request-body.js";
import { Webhooks } from "./webhooks.js";

/** Options of {@link inspect}. All of them are optional. */
export interface InspectOptions {
  /**
   * The agent that is opened first: its URL, or its card. An agent whose URL is on this machine may be called, with all that it has there. A
   * card allows no further calls.
   */
  readonly agent?: URL | string | object | undefined;
  /** Port to listen on; any free one by default. */
  readonly port?: number | undefined;
  /** Also calls other agents on this machine, and agents in private networks. Off by default. */
  readonly allowPrivate?: boolean | undefined;
  /** Certificates of authorities (PEM) to trust instead of the usual ones. */
  readonly ca?: string | undefined;
  /** Client certificate and key (PEM), for agents that require mutual TLS. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
  /** Folder with the built page; that of this package by default. */
  readonly folder?: string | undefined;
}

/** An inspector that is running. */
export interface RunningInspector {
  /** URL of the page, with the token of this launch as fragment. Only a browser with this URL is served. */
  readonly url: string;
  readonly port: number;
  /** Ends all calls, and stops listening. */
  close(): Promise<void>;
}

const HOST = "127.0.0.1";
const MIB = 1024 * 1024;
/** Bytes: of the body of a call, of other requests, of an answer of an agent, and of a notification. */
const LIMITS = { request: 64 * MIB, json: 4 * MIB, answer: 256 * MIB, notification: 10 * MIB };
const MAX_CONNECTIONS = 256;
const MAX_PAGES = 32;
const TOKEN_BYTES = 32;

/** Requests that agents send, and not the page: they have an id that only they know. */
const HOOK = /^\/hooks\/([\w-]+)$/;
const CALLBACK = "/callback";

/**
 * Serves the inspector to a browser on this machine, until it is closed.
 *
 * @throws Error when the page was not built, or the port is in use; TypeError for an `agent` that is a text and no URL
 * @example
 * ```ts
 * const inspector = await inspect({ agent: "http://localhost:4000" });
 * console.log(inspector.url);
 * await inspector.close();
 * ```
 */
export async function inspect(options: InspectOptions = {}): Promise<RunningInspector> {
  const files = findPage(options.folder);
  const target = targetOf(options.agent);
  const server = createServer();
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(options.port ?? 0, HOST);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const inspector = new LocalInspector(server, { files, options, target, origin: `http://${HOST}:${port}` });
  return {
    url: `http://${HOST}:${port}/#token=${inspector.token}`,
    port,
    close: () => inspector.close(),
  };
}

interface InspectorParts {
  readonly files: PageFiles;
  readonly options: InspectOptions;
  readonly target: Session["target"];
  readonly origin: string;
}

/** Serves the page, and does for it what a browser cannot. */
class LocalInspector {
  readonly token = randomBytes(TOKEN_BYTES).toString("base64url");
  readonly #server: Server;
  readonly #files: PageFiles;
  readonly #origin: string;
  readonly #pages = new Map<string, OpenPage>();
  readonly #deps: ApiDeps;

  constructor(server: Server, { files, options, target, origin }: InspectorParts) {
    const { allowPrivate = false, ca, certificate } = options;
    const named = target !== undefined && "url" in target ? new URL(target.url) : undefined;
    const guard = new AgentGuard({ named, allowPrivate, ca, certificate });
    this.#server = server;
    this.#files = files;
    this.#origin = origin;
    this.#deps = {
      guard,
      redirects: new Redirects(),
      webhooks: new Webhooks({
        base: `${origin}/hooks/`,
        fetchFor: (url) => guard.fetchFor(url),
        onDelivery: (delivery) => {
          for (const page of this.#pages.values()) page.send({ type: "delivered", delivery });
        },
      }),
      session: {
        ...{ mode: "local", version: packageVersion(), allowsPrivate: allowPrivate },
        ...(target && { target }),
        can: { grpc: hasGrpc(), webhooks: true, conformance: true, certificate: guard.hasCertificate },
        redirectUri: origin + CALLBACK,
        limits: { request: LIMITS.request, answer: LIMITS.answer },
      },
    };
    server.on("request", (req, res) => {
      this.#answer(req, res).catch((error: unknown) => refuse(res, error));
    });
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const page of this.#pages.values()) page.close();
    this.#deps.webhooks.close();
    this.#server.closeAllConnections();
    await closed;
    this.#deps.guard.close();
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? "", this.#origin);
    const [, hook] = HOOK.exec(url.pathname) ?? [];
    if (hook !== undefined) return this.#receive(hook, req, res);
    if (!isAddressedHere(req)) throw new ApiRefused("FORBIDDEN", "This is not the name of the inspector");
    if (url.pathname === CALLBACK && req.method === "GET") return this.#deps.redirects.answer(url, res);
    if (url.pathname.startsWith("/api/")) return this.#api(url.pathname.slice("/api/".length), req, res);
    if (!answerFile(this.#files, url.pathname.slice(1), req, res))
      throw new ApiRefused("NOT_FOUND", "There is nothing here");
  }

  async #api(path: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (!isOwnPage(req)) throw new ApiRefused("FORBIDDEN", "This is not the page of the inspector");
    if (!hasToken(req, this.token))
      throw new ApiRefused(
        "FORBIDDEN",
        "The token is not that of this launch: open the URL that it has printed",
      );
    if (req.method === "POST" && path === "events") return this.#open(res);
    const [, id = ""] = /^webhooks\/([^/]+)/.exec(path) ?? [];
    const route = routes.get(`${req.method} ${path.replace(/^(webhooks)\/[^/]+/, "$1/*")}`);
    if (route === undefined) throw new ApiRefused("NOT_FOUND", "The inspector has no such request");
    const limit = path === "fetch" ? LIMITS.request + MIB : LIMITS.json;
    const body = await bodyOf(req, limit);
    if (body === undefined) throw new ApiRefused("TOO_LARGE", `The request is longer than ${limit} bytes`);
    const pageOf = () => this.#pageOf(req);
    const request = {
      body,
      id,
      get page() {
        return pageOf();
      },
    };
    send(res, route(request, this.#deps));
  }

  #open(res: ServerResponse): void {
    if (this.#pages.size >= MAX_PAGES)
      throw new ApiRefused("TOO_MANY", `${MAX_PAGES} pages are open already`);
    res.writeHead(200, { ...safeHeaders, "Content-Type": "application/octet-stream" });
    const page = new OpenPage(res, (left) => {
      this.#pages.delete(left.id);
      this.#deps.redirects.forget(left);
    });
    this.#pages.set(page.id, page);
  }

  #pageOf({ headers }: IncomingMessage): OpenPage {
    const page = this.#pages.get(String(headers[PAGE_HEADER.toLowerCase()]));
    if (page === undefined) throw new ApiRefused("GONE", "The page has no events: load it again");
    return page;
  }

  async #receive(id: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { webhooks } = this.#deps;
    webhooks.checkId(id);
    const body = await bodyOf(req, LIMITS.notification);
    if (body === undefined) throw new ApiRefused("TOO_LARGE", "The notification is too large");
    const { method = "", url = "", headers, rawHeaders: raw } = req;
    const rawHeaders = raw.flatMap((name, at): HeaderField[] =>
      at % 2 === 0 ? [[name, raw[at + 1] ?? ""]] : [],
    );
    const { status, headers: own } = await webhooks.receive(id, { method, url, headers, rawHeaders, body });
    res.writeHead(status, own).end();
  }
}

/** Whether the packages of gRPC are installed, which are optional. */
function hasGrpc(): boolean {
  try {
    return createRequire(import.meta.url).resolve("@connectrpc/connect-node") !== "";
  } catch {
    return false;
  }
}

/** The agent of the options, as the page gets it. */
function targetOf(agent: InspectOptions["agent"]): Session["target"] {
  if (agent === undefined) return undefined;
  if (typeof agent === "string" || agent instanceof URL) return { url: new URL(agent).href };
  return { card: agent };
}

function send(res: ServerResponse, { status, value }: ApiAnswer): void {
  const body = value === undefined ? undefined : JSON.stringify(value);
  res.writeHead(status, {
    ...safeHeaders,
    ...(body !== undefined && { "Content-Type": "application/json" }),
  });
  res.end(body);
}

function refuse(res: ServerResponse, error: unknown): void {
  if (!(error instanceof ApiRefused) || res.headersSent) {
    res.destroy();
    return;
  }
  const { status, code, message } = error;
  const failure: ApiFailure = { code, message };
  // What was not read of the request would be taken for the next one.
  res.setHeader("Connection", "close");
  send(res, { status, value: failure });
}
