import { clientError } from "../../protocol/errors.js";
import type { Codec } from "../../versions/codec.js";
import { newestCodec } from "../../versions/codecs.js";
import { readVersion, UNNAMED_VERSION, versionName } from "../../versions/version.js";
import type { Arrival } from "./arrival.js";
import type { ServedAgent } from "./served-agent.js";

/** Service parameter that names the protocol version (§3.6.1). */
const HEADER = "A2A-Version";
/** Characters of a version that a refusal repeats. */
const SHOWN = 32;

/**
 * Decides, once for a request, in which version it is read and answered (§3.6.2): header, else query parameter, else the
 * version that stands for none. Older versions that share methods or routes take each other's callers.
 * @param speaks whether a version has the method or route that was called
 * @throws A2AError VERSION_NOT_SUPPORTED, listing what is offered (VER-10)
 */
export function chooseCodec(arrival: Arrival, speaks: (codec: Codec) => boolean): Codec {
  const { agent } = arrival;
  const version = versionOf(arrival);
  const takers = takersOf(version, agent);
  const speaker = takers.find(speaks);
  if (speaker !== undefined) return speaker;
  const [taker] = takers;
  if (version !== UNNAMED_VERSION) return taker ?? refuse(version, agent);
  // Callers from before versions were named call methods of their own; another version's method contradicts that (VER-12).
  const meant = [...agent.codecs.values()].find(speaks);
  if (meant !== undefined && agent.inferVersion) return meant;
  return meant === undefined && taker !== undefined ? taker : refuse(version, agent, meant);
}

/** Whether a request says in which version it is. */
export function namesVersion(arrival: Arrival): boolean {
  return askedVersion(arrival) !== undefined;
}

/**
 * The version in whose form a request is refused that was not read so far as to know its version for sure. Where no version takes the
 * caller, it is one that has the method: a dialect whose callers send the numbers of later versions first.
 * @param method JSON-RPC method of the request, when it is known
 */
export function codecForRefusal(arrival: Arrival, method = ""): Codec {
  const codecs = [...arrival.agent.codecs.values()];
  const speakers = codecs.filter(({ methods }) => methods.has(method));
  const isLax = ({ answersTo }: Codec): boolean => answersTo.includes(newestCodec.version);
  const [taker] = takersOf(versionOf(arrival), arrival.agent);
  return taker ?? speakers.find(isLax) ?? speakers[0] ?? codecs[0] ?? newestCodec;
}

/** Versions that take callers of a version: that version itself before others. */
function takersOf(version: string, { codecs }: ServedAgent): Codec[] {
  const own = codecs.get(version);
  const takers = own === undefined ? [] : [own];
  for (const codec of codecs.values()) if (codec.answersTo.includes(version)) takers.push(codec);
  return takers;
}

function versionOf(arrival: Arrival): string {
  const asked = askedVersion(arrival);
  return asked === undefined ? UNNAMED_VERSION : nameOf(asked, arrival.agent);
}

/** The usual spelling needs no reading. What is no version keeps its text, for the refusal. */
function nameOf(asked: string, { codecs }: ServedAgent): string {
  return codecs.has(asked) ? asked : (readVersion(asked) ?? versionName(asked));
}

function askedVersion({ request, query }: Arrival): string | undefined {
  const header = request.headers["a2a-version"];
  if (header !== undefined) {
    const text = String(header).trim();
    if (text !== "") return text;
  }
  let found: string | undefined;
  for (const [name, value] of query) {
    if (name.toLowerCase() === HEADER.toLowerCase() && value.trim() !== "") found = value.trim();
  }
  return found;
}

function refuse(version: string, { codecs }: ServedAgent, meant?: Codec): never {
  const supported = [...codecs.keys()];
  const list = `supported: ${supported.join(", ")}`;
  const shown = version.slice(0, SHOWN);
  const fault = codecs.has(version)
    ? `Protocol version ${shown} has no such method or route`
    : `Protocol version ${shown} is not supported here`;
  const advice = meant ? `send the header "${HEADER}: ${meant.version}" (${list})` : list;
  throw clientError("VERSION_NOT_SUPPORTED", `${fault}; ${advice}`, {
    metadata: { requestedVersion: shown, supportedVersions: supported.join(",") },
  });
}
