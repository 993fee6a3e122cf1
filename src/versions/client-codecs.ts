import { fieldsOf } from "../protocol/operations.js";
import type { CallCodec } from "./client-codec.js";
import { callCodec as newest } from "./v1.0/call-codec.js";
import { DRAFT_VERSION, FLAT_VERSION, hasGenerations } from "./version.js";

/** The newest released version. Clients name it when they request a card (§3.6.1). */
export const newestClientVersion = newest.version;

/** A loader for the codec of each protocol version, the newest released one first. The others are imported on demand. */
const rows = [
  [newest.version, async () => newest],
  [DRAFT_VERSION, async () => (await import("./v1.1-draft/client-codec.js")).clientCodec],
  ["0.3", async () => (await import("./v0.3/client-codec.js")).clientCodec],
  ["0.2", async () => (await import("./v0.3/client-codec.js")).olderClientCodec],
  ["0.1", async () => (await import("./v0.1/client-codec.js")).clientCodec],
  [FLAT_VERSION, async () => (await import("./v0.1/flat/client-codec.js")).clientCodec],
] as const satisfies readonly (readonly [string, () => Promise<CallCodec>])[];

/**
 * A protocol version that a client can speak.
 *
 * @example
 * ```ts
 * const versions: readonly ClientVersion[] = ["1.0", "0.3"];
 * ```
 */
export type ClientVersion = (typeof rows)[number][0];

const loaders: ReadonlyMap<string, () => Promise<CallCodec>> = new Map<string, () => Promise<CallCodec>>(
  rows,
);

/** All protocol versions in which agents can be called, the newest released one first. */
export const callableVersions: readonly string[] = [...loaders.keys()];

/** Versions in which agents are called only if the client's option `versions` names them: drafts. */
export const optInVersions: ReadonlySet<string> = new Set([DRAFT_VERSION]);

/** Whether agents are called in a version over a binding. Before 0.2, they are called over JSON-RPC only. */
export function isCalledOver(binding: string, version: string): boolean {
  return binding === "JSONRPC" || version >= "0.2";
}

/** Whether the tasks and events of a version have generations: in the draft, in the release that it becomes, and in later ones. */
export function countsGenerations(version: string): boolean {
  if (version === DRAFT_VERSION) return true;
  return hasGenerations(fieldsOf("Task")) && Number(version) >= Number.parseFloat(DRAFT_VERSION);
}

/**
 * Loads the codec with which a client calls a version. That of the newest released version is imported already; it imports its lenient
 * reader on demand.
 * @throws TypeError for an unknown version
 */
export async function loadCallCodec(version: string): Promise<CallCodec> {
  const load = loaders.get(version);
  if (load === undefined) throw new TypeError(`Agents cannot be called in version ${version}`);
  return load();
}
