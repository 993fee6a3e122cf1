import { isJsonObject } from "../json/json-text.js";
import { isLonger } from "../protocol/byte-length.js";
import { clientError } from "../protocol/errors.js";
import type { Codec } from "../versions/codec.js";
import { codecOfCall, newestCodec } from "../versions/codecs.js";
import { readVersion, UNNAMED_VERSION, versionName } from "../versions/version.js";
import type { ChosenRequest, OperationRequest } from "./operation-request.js";
import type { ServedAgent } from "./served-agent.js";
import type { ServerCall } from "./server-call.js";

/** Service parameter that names the protocol version (§3.6.1). */
const HEADER = "A2A-Version";
/** Maximum number of characters of a requested version in an error message. */
const SHOWN = 32;

/**
 * Chooses the version in which a request is read and answered, and its operation in that version (§3.6.2). The header names the version,
 * else the query parameter; a request that names none counts as {@link UNNAMED_VERSION}. A version that shares methods or routes with
 * another one also serves callers of that one.
 *
 * @throws A2AError VERSION_NOT_SUPPORTED, listing the supported versions; METHOD_NOT_FOUND; the errors of {@link OperationRequest.readIn}
 */
export function chooseVersion(request: OperationRequest): asserts request is ChosenRequest {
  request.codec = codecOf(request);
  request.readIn(request.codec);
  applyDialect(request, false);
}

/**
 * Chooses again for a request that names no version and calls a method of several versions or dialects: those of its task, if known.
 * Called once the caller is known, because callers must not learn about the tasks of others.
 *
 * @returns undefined when the choice cannot depend on the task, which is the usual case
 */
export function chooseByTask(request: ChosenRequest, call: ServerCall): Promise<void> | undefined {
  const { taskVersions, bounds } = request.agent;
  if (taskVersions === undefined || !isAmbiguous(request)) return undefined;
  // A tenant whose name is too long has no tasks. The request is refused after it was decoded.
  if (bounds !== undefined && isLonger(call.tenant, bounds.name)) return undefined;
  return taskVersions.find(taskOf(request), call).then((version) => {
    const codec = version === undefined ? undefined : codecOfCall(version, request.agent.codecs);
    const operation = codec?.methods.get(request.method ?? "");
    if (codec === undefined || operation === undefined) return;
    const chosen: OperationRequest = request;
    chosen.codec = codec;
    chosen.operation = operation;
    applyDialect(chosen, true);
    call.setVersion(request);
  });
}

/**
 * The codec that writes the error for a request that was refused before its version was chosen. If the server does not support the
 * version, it is a codec that has the method, if any has; a dialect whose callers send the number of the newest version comes first.
 */
export function codecForRefusal(request: OperationRequest): Codec {
  const codecs = [...request.agent.codecs.values()];
  const withMethod = codecs.filter(({ methods }) => methods.has(request.method ?? ""));
  const [major = ""] = newestCodec.version.split(".");
  const answersToNewest = ({ answersTo }: Codec): boolean =>
    answersTo.some((version) => version.startsWith(`${major}.`));
  const [serving] = codecsServing(versionOf(request), request.agent);
  return serving ?? withMethod.find(answersToNewest) ?? withMethod[0] ?? codecs[0] ?? newestCodec;
}

/**
 * The codec of the version that a request names or implies.
 * @throws A2AError VERSION_NOT_SUPPORTED
 */
export function codecOf(request: OperationRequest): Codec {
  const { agent } = request;
  const version = versionOf(request);
  const serving = codecsServing(version, agent);
  const hasOperation = (codec: Codec) => request.isIn(codec);
  const found = serving.find(hasOperation);
  if (found !== undefined) return found;
  const [first] = serving;
  if (version !== UNNAMED_VERSION) return first ?? refuse(version, agent);
  // Callers of the unnamed version use its methods. A method of another version contradicts the absent header.
  const inferred = [...agent.codecs.values()].find(hasOperation);
  if (inferred !== undefined && agent.inferVersion) return inferred;
  return inferred === undefined && first !== undefined ? first : refuse(version, agent, inferred);
}

/** Replaces the codec by that of the caller's dialect, if the version has several. */
function applyDialect(request: OperationRequest, versionFromTask: boolean): void {
  const { codec, method, value, host } = request;
  const dialect = codec?.dialectOf?.({
    ...{ method, version: namedVersion(request), value, versionFromTask },
    ...(method === undefined && { path: host.path }),
  });
  if (dialect === undefined) return;
  request.codec = dialect;
  if (method !== undefined) request.operation = dialect.methods.get(method) ?? request.operation;
}

/** Whether a request names no version and calls a method of several versions or dialects. */
function isAmbiguous(request: OperationRequest): boolean {
  const { method, value } = request;
  if (method === undefined || !isJsonObject(value) || namedVersion(request) !== undefined) return false;
  const withMethod = [...request.agent.codecs.values()].filter(({ methods }) => methods.has(method));
  return withMethod.length > 1 || withMethod[0]?.dialectByTask === true;
}

function taskOf({ value }: OperationRequest): unknown {
  return isJsonObject(value) ? (value.id ?? value.taskId ?? value.task_id) : undefined;
}

/** The codecs that serve callers of a version: that of the version itself first. */
function codecsServing(version: string, { codecs }: ServedAgent): Codec[] {
  const own = codecs.get(version);
  const serving = own === undefined ? [] : [own];
  for (const codec of codecs.values()) if (codec.answersTo.includes(version)) serving.push(codec);
  return serving;
}

function versionOf(request: OperationRequest): string {
  const named = namedVersion(request);
  return named === undefined ? UNNAMED_VERSION : nameOf(named, request.agent);
}

/** The name of a version as codecs have it. A string that is not a version is returned unchanged, for the error message. */
function nameOf(asked: string, { codecs }: ServedAgent): string {
  return codecs.has(asked) ? asked : (readVersion(asked) ?? versionName(asked));
}

/** The version that a request names, as written; undefined when it names none. */
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

/** @param inferred codec of the version whose method was called without naming it, for the advice in the message */
function refuse(version: string, { codecs }: ServedAgent, inferred?: Codec): never {
  const supported = [...codecs.keys()];
  const list = `supported: ${supported.join(", ")}`;
  const shown = version.slice(0, SHOWN);
  const fault = codecs.has(version)
    ? `Protocol version ${shown} has no such method or route`
    : `Protocol version ${shown} is not supported here`;
  const advice = inferred ? `send the header "${HEADER}: ${inferred.version}" (${list})` : list;
  throw clientError("VERSION_NOT_SUPPORTED", `${fault}; ${advice}`, {
    metadata: { requestedVersion: shown, supportedVersions: supported.join(",") },
  });
}
