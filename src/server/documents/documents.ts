import { runtime } from "#runtime";
import type { IncomingRequest } from "../../auth/incoming-request.js";
import { BoundedMap } from "../../collections/bounded-map.js";
import { A2AError } from "../../protocol/errors.js";
import { newestCodec, servableVersions } from "../../versions/codecs.js";
import type { AgentServer } from "../agent-server.js";
import { prefersHtml } from "../bindings/media-type.js";
import type { BodyReply } from "../host.js";
import type { Mount } from "../mount.js";
import type { MetricsOptions, ServerSettings } from "../settings.js";
import { viewerPages } from "./api-viewer.js";
import { openApi } from "./openapi.js";

const CARD_PATH = "/.well-known/agent-card.json";
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
const CATALOG_VERSION = [1, 0].join(".");
const CATALOG_TYPE = "application/ai-catalog+json";
const CATALOG_ENTRY_TYPE = "application/a2a-agent-card+json";
/** The AI Catalog specification defines this path; A2A does not. */
const CATALOG_PATH = "/.well-known/ai-catalog.json";
const KEYS_PATH = "/.well-known/jwks.json";

/** HTTP caches return the new key set after this time, so that a receiver that fetches it for an unknown key finds that key. */
const KEYS_CACHE = "public, max-age=300";

/** The request that a document is written for. */
export interface Reader extends IncomingRequest {
  /** URL at which the reader reaches the server, without a trailing slash. */
  readonly serverUrl: string;
}

/** A read-only document of the server at a path. */
export interface ServedDocument {
  read(reader: Reader): BodyReply | Promise<BodyReply>;
  /** Whether an application in which the agents are mounted may answer this path first, because the path belongs to no agent. */
  readonly yields?: true;
  /** Whether scripts of other origins are prevented from reading it. */
  readonly sameOrigin?: true;
}

/**
 * The documents of a server and its agents by path: cards, OpenAPI documents, public keys, health, metrics and lists of agents (§8.2).
 * @throws TypeError when the page of the option `docs` is for no agent, or as {@link viewerPages}
 */
export function documentsOf(server: AgentServer): ReadonlyMap<string, ServedDocument> {
  const { mounts, main, settings } = server;
  if (settings.docs && !mounts.some((mount) => isDescribed(mount, settings)))
    throw new TypeError(`docs: no agent serves HTTP+JSON in ${newestCodec.version}, which the page shows`);
  const documents = mounts.flatMap((mount) => documentsFor(mount, mount.prefix, server));
  if (main.prefix !== "") documents.push(...documentsFor(main, "", server));
  documents.push(["/healthz", { read: () => json({ status: "ok" }) }]);
  documents.push(["/readyz", { read: () => readiness(server) }]);
  if (settings.metrics !== undefined) documents.push(["/metrics", metricsDocument(settings.metrics)]);
  if (settings.catalog) documents.push([CATALOG_PATH, catalogOf(mounts)]);
  if (mounts.every(({ prefix }) => prefix !== "")) documents.push(["/", indexOf(mounts, settings.page)]);
  return new Map(documents);
}

/**
 * The HTML pages by path. Bindings use the same paths; a page is returned if the request prefers HTML (RFC 9110 §12.5.1). Empty if the
 * option `page` is off.
 */
export function pagesOf(server: AgentServer): ReadonlyMap<string, ServedDocument> {
  const { mounts, settings } = server;
  if (!settings.page) return new Map();
  return new Map(
    mounts.flatMap((mount) => {
      const page = pageDocument(mount, settings);
      return [[mount.prefix || "/", page] as const, [`${mount.prefix}/`, page] as const];
    }),
  );
}

/** Maximum number of cached pages. They differ by the URL of the request, whose host callers can invent. */
const MAX_PAGES = 32;

function pageDocument(mount: Mount, settings: ServerSettings): ServedDocument {
  const made = new BoundedMap<string, Promise<BodyReply>>(MAX_PAGES);
  const versionOf = (listed: string) =>
    mount.versions.find((version) => (servableVersions.get(version)?.listedAs ?? version) === listed) ??
    listed;
  const make = async (serverUrl: string): Promise<BodyReply> => {
    const { agentPage } = await import("./agent-page.js");
    const url = mount.urlAt(serverUrl);
    const links: [url: string, about: string][] = [[url + CARD_PATH, "Agent card (JSON)"]];
    const hasApi = isDescribed(mount, settings);
    if (hasApi && runtime.files !== undefined) links.push([`${url}/openapi.json`, "OpenAPI document (JSON)"]);
    if (hasApi && settings.docs) links.push([`${url}/docs`, "Documentation of the HTTP API"]);
    links.push([`${serverUrl}/healthz`, "Health"]);
    return agentPage({ card: mount.cardAt(serverUrl), url, links, versionOf });
  };
  return {
    read({ serverUrl }) {
      const page = made.get(serverUrl) ?? make(serverUrl);
      made.set(serverUrl, page);
      return page;
    },
  };
}

type Entry = [path: string, document: ServedDocument];

function documentsFor(mount: Mount, prefix: string, { settings }: AgentServer): Entry[] {
  const { card, keySet, served } = mount;
  const [routes = ""] = mount.pathsOf("HTTP+JSON");
  const { name } = served.card;
  const entries: Entry[] = card.paths.map((path) => [prefix + path, cardDocument(mount, path)]);
  const { files } = runtime;
  const hasApi = isDescribed(mount, settings);
  if (hasApi && files !== undefined) {
    const read = ({ serverUrl }: Reader) => ({
      ...json(openApi(files, serverUrl + routes, name)),
      shared: true as const,
    });
    entries.push([`${prefix}/openapi.json`, { read }]);
  }
  if (hasApi && settings.docs)
    for (const [path, read] of viewerPages(prefix, name)) entries.push([path, { read }]);
  if (keySet !== undefined) {
    const read = async () => json(await keySet(), 200, { "Cache-Control": KEYS_CACHE });
    entries.push([prefix + KEYS_PATH, { read }]);
  }
  return entries;
}

/** Whether an agent has the operations that its OpenAPI document would describe: those of HTTP+JSON in the newest version. */
function isDescribed({ versions }: Mount, { bindings }: ServerSettings): boolean {
  return bindings.includes("HTTP+JSON") && versions.includes(newestCodec.version);
}

function cardDocument({ card }: Mount, path: string): ServedDocument {
  return {
    async read({ headers, serverUrl }) {
      const { bytes, ...head } = await card.answer(headers, serverUrl, path);
      return { ...head, body: head.status === 304 ? null : bytes, shared: true };
    },
  };
}

function readiness({ closing }: AgentServer): BodyReply {
  return closing ? json({ status: "stopping" }, 503) : json({ status: "ready" });
}

/** Metrics are for the operator, so they are not cached and not readable by pages of other origins. */
function metricsDocument({ read, allow }: MetricsOptions): ServedDocument {
  return {
    sameOrigin: true,
    async read(reader) {
      if (allow !== "everyone" && (await allow(reader)) !== true)
        throw new A2AError("PERMISSION_DENIED", "You may not read the metrics");
      const headers = {
        "Content-Type": METRICS_TYPE,
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
      };
      return { status: 200, headers, body: await read() };
    },
  };
}

/** The list of agents, as JSON or as a page, at the root of a server that has no agent there. */
function indexOf(mounts: readonly Mount[], hasPage: boolean): ServedDocument {
  return {
    yields: true,
    async read({ headers, serverUrl }) {
      const agents = mounts.map((mount) => ({
        name: mount.served.card.name,
        description: mount.served.card.description,
        url: mount.urlAt(serverUrl),
        card: mount.urlAt(serverUrl) + CARD_PATH,
      }));
      if (!hasPage) return json({ agents });
      if (!prefersHtml({ headers })) return json({ agents }, 200, { Vary: "Accept" });
      const { listPage } = await import("./agent-page.js");
      return listPage(agents);
    },
  };
}

/** The agents of a server as an AI Catalog. An agent is identified by its URL. */
function catalogOf(mounts: readonly Mount[]): ServedDocument {
  return {
    read({ serverUrl }) {
      const entries = mounts.map((mount) => {
        const { name, description, version } = mount.served.card;
        const identifier = mount.urlAt(serverUrl);
        const about = { displayName: name, description, version };
        return { identifier, type: CATALOG_ENTRY_TYPE, url: identifier + CARD_PATH, ...about };
      });
      return json({ specVersion: CATALOG_VERSION, entries }, 200, { "Content-Type": CATALOG_TYPE });
    },
  };
}

/** @param value a JSON value, or bytes of JSON */
function json(value: object, status = 200, headers: BodyReply["headers"] = {}): BodyReply {
  const body = value instanceof Uint8Array ? value : JSON.stringify(value);
  return { status, headers: { "Content-Type": "application/json", ...headers }, body };
}
