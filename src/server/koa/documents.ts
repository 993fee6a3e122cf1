import Router from "@koa/router";
import type { Context, Middleware } from "koa";
import type { Mount } from "../mount.js";
import { openApi } from "../openapi.js";
import { addViewer } from "./api-viewer.js";
import { sendBytes, sendJson } from "./send.js";
import type { AgentServer } from "./site.js";

const CARD_PATH = "/.well-known/agent-card.json";
const KEYS_PATH = "/.well-known/jwks.json";

/** Receivers ask again after this time, so that a new key is known before it signs. */
const KEYS_CACHE = "public, max-age=300";

/** Documents may be read from any page, and cards must be. */
export interface Documents {
  /** Paths that have a document, for reading only. */
  readonly paths: ReadonlySet<string>;
  readonly middleware: Middleware;
}

/** What a server says about itself and its agents with plain GET: cards, OpenAPI, health, and an index of agents (§8.2). */
export function documents(site: AgentServer): Documents {
  const router = new Router({ sensitive: true, strict: true });
  for (const mount of site.mounts) describe(router, mount.prefix, mount, site);
  if (site.main.prefix !== "") describe(router, "", site.main, site);
  router.get("/healthz", (ctx) => sendJson(ctx, { status: "ok" }));
  router.get("/readyz", (ctx) => {
    if (site.closing) sendJson(ctx, { status: "stopping" }, 503);
    else sendJson(ctx, { status: "ready" });
  });
  if (site.mounts.every(({ prefix }) => prefix !== "")) router.get("/", (ctx) => index(ctx, site));
  return {
    paths: new Set(router.stack.flatMap(({ path }) => (typeof path === "string" ? [path] : []))),
    middleware: router.routes() as Middleware,
  };
}

function describe(router: Router, prefix: string, mount: Mount, site: AgentServer): void {
  for (const path of mount.card.paths) {
    router.get(prefix + path, (ctx) => sendCard(ctx, mount, site.urlFor(ctx), path));
  }
  router.get(`${prefix}/openapi.json`, (ctx) => {
    const [path = ""] = mount.pathsOf("HTTP+JSON");
    const document = openApi(site.urlFor(ctx) + path, mount.served.card.name);
    sendBytes(ctx, { status: 200, headers: { "Content-Type": "application/json" } }, document);
  });
  if (site.settings.docs) addViewer(router, prefix, mount.served.card.name);
  const { keySet } = mount;
  if (keySet === undefined) return;
  router.get(prefix + KEYS_PATH, async (ctx) => {
    const keys = await keySet();
    ctx.set("Cache-Control", KEYS_CACHE);
    sendJson(ctx, keys);
  });
}

function index(ctx: Context, site: AgentServer): void {
  const base = site.urlFor(ctx);
  const agents = site.mounts.map((mount) => ({
    name: mount.served.card.name,
    description: mount.served.card.description,
    url: mount.urlAt(base),
    card: mount.urlAt(base) + CARD_PATH,
  }));
  sendJson(ctx, { agents });
}

async function sendCard(ctx: Context, { card }: Mount, url: string, path: string): Promise<void> {
  const { bytes, ...head } = await card.answer(ctx.req.headers, url, path);
  sendBytes(ctx, head, bytes);
  // Koa takes the body out of the answer with the status.
  ctx.status = head.status;
}
