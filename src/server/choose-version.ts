import { isJsonObject } from "../json/json-text.js";
import { isLonger } from "../protocol/byte-length.js";
import { clientError } from "../protocol/errors.js";
import type { Codec } from "../versions/codec.js";
import { newestCodec } from "../versions/codecs.js";
import { readVersion, UNNAMED_VERSION, versionName } from "../versions/version.js";
import type { ChosenRequest, OperationRequest } from "./operation-request.js";
import type { ServedAgent } from "./served-agent.js";
import type { ServerCall } from "./server-call.js";

/** Service parameter that names the protocol version (§3.6.1). */
const HEADER = "A2A-Version";
/** Characters of a version that a refusal repeats. */
const SHOWN = 32;

/**
 * Chooses the version in which a request is read and answered (§3.6.2), and its operation there: header, else query parameter, else
 * the version that stands for none. Older versions that share methods or routes take each other's callers.
 *
 * @throws A2AError VERSION_NOT_SUPPORTED, listing what is offered; METHOD_NOT_FOUND, and what is wrong with the value
 */
export function chooseVersion(request: OperationRequest): asserts request is ChosenRequest {
  request.codec = codecOf(request);
  request.readIn(request.codec);
  speakDialect(request, false);
}

/**
 * Chooses again for a request that names no version and calls a method that several have: the version in which its task was begun.
 * Asked for once the caller is known, because it depends on tasks, and callers may not learn of the tasks of others.
 *
 * @returns undefined when the task decides nothing, as nearly always
 */
export function chooseByTask(request: ChosenRequest, call: ServerCall): Promise<void> | undefined {
  const { taskVersions, bounds } = request.agent;
  if (taskVersions === undefined || !couldBeSeveral(request)) return undefined;
  // There is nothing in a tenant whose name is too long, which is refused once the request has been decoded.
  if (bounds !== undefined && isLonger(call.tenant, bounds.name)) return undefined;
  return taskVersions.find(taskOf(request), call).then((version) => {
    const codec = version === undefined ? undefined : request.agent.codecs.get(version);
    const operation = codec?.methods.get(request.method ?? "");
    if (codec === undefined || operation === undefined) return;
    const chosen: OperationRequest = request;
    chosen.codec = codec;
    chosen.operation = operation;
    speakDialect(chosen, true);
    call.speakAs(request);
  });
}

/**
 * The version in whose form a request is refused that was not read so far as to know its version for sure. Where no version takes the
 * caller, it is one that has the method: a dialect whose callers send the numbers of later versions first.
 */
export function codecForRefusal(request: OperationRequest): Codec {
  const codecs = [...request.agent.codecs.values()];
  const speakers = codecs.filter(({ methods }) => methods.has(request.method ?? ""));
  const isLax = ({ answersTo }: Codec): boolean => answersTo.includes(newestCodec.version);
  const [taker] = takersOf(versionOf(request), request.agent);
  return taker ?? speakers.find(isLax) ?? speakers[0] ?? codecs[0] ?? newestCodec;
}

/** The version that the request itself tells. */
export function codecOf(request: OperationRequest): Codec {
  const { agent } = request;
  const version = versionOf(request);
  const takers = takersOf(version, agent);
  const speaks = (codec: Codec) => request.isIn(codec);
  const speaker = takers.find(speaks);
  if (speaker !== undefined) return speaker;
  const [taker] = takers;
  if (version !== UNNAMED_VERSION) return taker ?? refuse(version, agent);
  // Callers from before versions were named call methods of their own; another version's method contradicts that.
  const meant = [...agent.codecs.values()].find(speaks);
  if (meant !== undefined && agent.inferVersion) return meant;
  return meant === undefined && taker !== undefined ? taker : refuse(version, agent, meant);
}

/** Goes over to the dialect in which the caller writes, where the version has several. */
function speakDialect(request: OperationRequest, versionFromTask: boolean): void {
  const { codec, method, value } = request;
  const { path, headers } = request.host;
  const clues = { method, headers, value, versionFromTask };
  const dialect = codec?.dialectOf?.(method === undefined ? { ...clues, path } : clues);
  if (dialect === undefined) return;
  request.codec = dialect;
  if (method !== undefined) request.operation = dialect.methods.get(method) ?? request.operation;
}

/** Whether a request could be one of several versions, and does not say of which. */
function couldBeSeveral(request: OperationRequest): boolean {
  const { method, value } = request;
  if (method === undefined || !isJsonObject(value) || namedVersion(request) !== undefined) return false;
  const speakers = [...request.agent.codecs.values()].filter(({ methods }) => methods.has(method));
  return speakers.length > 1 || speakers[0]?.dialectByTask === true;
}

function taskOf({ value }: OperationRequest): unknown {
  return isJsonObject(value) ? (value.id ?? value.taskId ?? value.task_id) : undefined;
}

/** Versions that take callers of a version: that version itself before others. */
function takersOf(version: string, { codecs }: ServedAgent): Codec[] {
  const own = codecs.get(version);
  const takers = own === undefined ? [] : [own];
  for (const codec of codecs.values()) if (codec.answersTo.includes(version)) takers.push(codec);
  return takers;
}

function versionOf(request: OperationRequest): string {
  const named = namedVersion(request);
  return named === undefined ? UNNAMED_VERSION : nameOf(named, request.agent);
}

/** The usual spelling needs no reading. What is no version keeps its text, for the refusal. */
function nameOf(asked: string, { codecs }: ServedAgent): string {
  return codecs.has(asked) ? asked : (readVersion(asked) ?? versionName(asked));
}

/** What a request says about its version; undefined when it names none. */
function namedVersion({ host, query }: OperationRequest): string | undefined {
  const header = host.headers["a2a-version"];
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
