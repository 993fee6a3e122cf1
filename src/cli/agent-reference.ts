import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { tryParseJson } from "../json/json-text.js";
import { parseUrl } from "../net/url.js";
import { Failure, usage } from "./failure.js";
import type { Io } from "./output.js";

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])(:|\/|$)/i;
const PATH = /^(\.{0,2}[/\\]|~[/\\]|[a-z]:\\)/i;

/** `ftp://host`, and also `https//host`, which would be a path of the host `https`. */
const OTHER_SCHEME = /^(?!https?:\/\/)([a-z][a-z\d+.-]*:\/\/|https?:?\/)/i;
/** `http:///path`, whose first segment would be the host. */
const WITHOUT_HOST = /^https?:\/\/\//i;

/**
 * Reads the value of `--agent-card`: a URL, or a file with a card. A host without a scheme is called over https, a loopback host
 * over http. A fragment names an agent in the catalog of the host, see {@link agentIn}.
 * @throws Failure for a file without a card, and for a value that is neither
 */
export async function readReference(reference: string, io: Io): Promise<URL | object> {
  const path = pathIn(reference, io);
  if (path !== undefined) return readCardFile(path);
  const text = /^https?:\/\//i.test(reference)
    ? reference
    : `${LOOPBACK.test(reference) ? "http" : "https"}://${reference}`;
  const url = parseUrl(text);
  if (url === undefined || OTHER_SCHEME.test(reference) || WITHOUT_HOST.test(text))
    throw usage(`"${reference}" is not a host, a URL or a file with a card`);
  if (url.username !== "" || url.password !== "")
    throw usage(
      "The URL of an agent cannot contain a user name or a password: give credentials with --bearer or --api-key",
    );
  return url;
}

/**
 * The name of an agent in the catalog of its host, as in `localhost:41241#Writer`; undefined without one.
 * @throws Failure for invalid percent-encoding
 */
export function agentIn(target: URL | object): string | undefined {
  if (!(target instanceof URL) || target.hash.length <= 1) return undefined;
  try {
    return decodeURIComponent(target.hash.slice(1));
  } catch {
    throw usage(`"${target.hash}" is not the name of an agent: write a percent sign as %25`);
  }
}

function pathIn(reference: string, io: Io): string | undefined {
  if (reference.startsWith("file:")) {
    if (parseUrl(reference) === undefined) throw usage(`"${reference}" is not the URL of a file`);
    return fileURLToPath(reference);
  }
  if (/^https?:/i.test(reference)) return undefined;
  const path = resolve(io.folder, reference.replace(/^~(?=[/\\])/, io.home));
  return PATH.test(reference) || existsSync(path) ? path : undefined;
}

/**
 * Reads a card from a file, unchanged.
 * @throws Failure
 */
async function readCardFile(path: string): Promise<object> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new Failure("A2ACLI_ERR_CARD_NOT_FOUND", `There is no card in ${path}`, { cause });
  });
  const value = tryParseJson(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new Failure("A2ACLI_ERR_CARD_INVALID", `${path} is not valid: an agent card is a JSON object`);
}
