import type { Role as ModelRole, TaskState as ModelState } from "../../model.js";
import { isJsonObject } from "../json-text.js";
import { modelRoles, modelStates, roleNames, stateNames } from "./names.js";

type Json = Readonly<Record<string, unknown>>;

/** This state alone has another spelling than in the newest version. */
const CANCELED: ModelState = "TASK_STATE_CANCELED";
const CANCELLED = "TASK_STATE_CANCELLED";

/** Kinds of security scheme: `type` here, and the member that holds one there. */
const schemes: Readonly<Record<string, string>> = {
  apiKey: "apiKeySecurityScheme",
  http: "httpAuthSecurityScheme",
  oauth2: "oauth2SecurityScheme",
  openIdConnect: "openIdConnectSecurityScheme",
  mutualTLS: "mtlsSecurityScheme",
};

/** Whether a request is written in the shapes of the protocol buffers, which it is unless something in it says otherwise. */
export function isProto(value: unknown): boolean {
  if (!isJsonObject(value)) return true;
  const message = value.message ?? value.request;
  if (!isJsonObject(message)) return (isJsonObject(value.config) ? value.config : value).taskId === undefined;
  const { content, kind, parts, role } = message;
  if (content !== undefined || String(role).startsWith("ROLE_")) return true;
  return kind === undefined && parts === undefined && role === undefined;
}

/** A request in the shapes of JSON-RPC. What is not understood stays as it is, for the validator to name. */
export function requestFromProto(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { message, request = message, configuration, config, ...rest } = value;
  return {
    ...rest,
    ...(request !== undefined && { message: messageFromProto(request) }),
    ...(configuration !== undefined && { configuration: configurationFromProto(configuration) }),
    ...(config !== undefined && { config: configFromProto(config, rest.configId) }),
    ...(rest.pushNotificationConfig !== undefined && configFromProto(rest)),
  };
}

/** Nothing asked for is the same as everything here: no number is told from zero. */
function configurationFromProto(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { pushNotification, historyLength, ...rest } = value;
  return {
    ...rest,
    ...(historyLength ? { historyLength } : {}),
    ...(pushNotification !== undefined && { pushNotificationConfig: pushNotification }),
  };
}

/** A webhook with its id, which may stand beside it or at the end of its name. */
function configFromProto(value: unknown, beside?: unknown): Json {
  const { name, pushNotificationConfig, ...rest } = isJsonObject(value) ? value : {};
  if (!isJsonObject(pushNotificationConfig)) return { ...rest, pushNotificationConfig };
  const id =
    pushNotificationConfig.id || beside || /\/pushNotificationConfigs\/(.+)$/.exec(String(name))?.[1];
  return { ...rest, pushNotificationConfig: { ...pushNotificationConfig, ...(id ? { id } : {}) } };
}

/** A message in the shapes of JSON-RPC. */
export function messageFromProto(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { content, parts = content, role, ...rest } = value;
  return { kind: "message", ...rest, role: nameOf(roleNames, role), parts: partsFromProto(parts) };
}

function nameOf(names: Readonly<Record<string, string>>, name: unknown): unknown {
  return typeof name === "string" && Object.hasOwn(names, name) ? names[name] : name;
}

function partsFromProto(parts: unknown): unknown {
  return Array.isArray(parts) ? parts.map(partFromProto) : parts;
}

function partFromProto(part: unknown): unknown {
  if (!isJsonObject(part) || part.kind !== undefined) return part;
  const { text, file, data, ...rest } = part;
  if (text !== undefined) return { ...rest, kind: "text", text };
  if (file !== undefined) return { ...rest, kind: "file", file };
  return data === undefined ? part : { ...rest, kind: "data", data: isJsonObject(data) ? data.data : data };
}

/** A task, an event or another answer in the shapes of JSON-RPC, as a caller reads it. */
export function taskFromProto(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { status, artifacts, history, artifact, ...rest } = value;
  return {
    ...rest,
    ...(status !== undefined && { status: statusFromProto(status) }),
    ...(artifact !== undefined && { artifact: artifactFromProto(artifact) }),
    ...(Array.isArray(artifacts) && { artifacts: artifacts.map(artifactFromProto) }),
    ...(Array.isArray(history) && { history: history.map(messageFromProto) }),
  };
}

function statusFromProto(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { state, update, message = update, timestamp, ...rest } = value;
  return {
    ...rest,
    state: stateFromProto(state),
    // A time that says no zone is one of UTC.
    ...(timestamp !== undefined && {
      timestamp: ZONELESS.test(String(timestamp)) ? `${timestamp}Z` : timestamp,
    }),
    ...(message !== undefined && { message: messageFromProto(message) }),
  };
}

const ZONELESS = /T[\d:.]+$/;

/** Also in the spellings of peers: with underscores, and with a second l. A state that is left out is the first one. */
function stateFromProto(state: unknown): unknown {
  if (state === undefined) return stateNames.TASK_STATE_UNSPECIFIED;
  if (state === CANCELLED || typeof state !== "string")
    return state === CANCELLED ? stateNames[CANCELED] : state;
  const name = nameOf(stateNames, state);
  return name === state ? state.replaceAll("_", "-").replace("cancelled", stateNames[CANCELED]) : name;
}

function artifactFromProto(value: unknown): unknown {
  return isJsonObject(value) ? { ...value, parts: partsFromProto(value.parts) } : value;
}

/** A webhook in the shapes of JSON-RPC, with the task that its name tells. */
export function pushFromProto(value: unknown): unknown {
  if (!isJsonObject(value) || value.taskId !== undefined) return value;
  const [, taskId] = /^tasks\/([^/]+)/.exec(String(value.name)) ?? [];
  return { ...configFromProto(value), ...(taskId !== undefined && { taskId }) };
}

/** A request of JSON-RPC in the shapes of the protocol buffers. A webhook names its task twice, once for the path. */
export function requestToProto({ message, configuration, ...rest }: Json): Json {
  if (isJsonObject(rest.pushNotificationConfig)) {
    const { taskId, pushNotificationConfig } = rest;
    const { id } = pushNotificationConfig as Json;
    return {
      taskId,
      parent: `tasks/${taskId}`,
      ...(id !== undefined && { configId: id }),
      config: configToProto(rest),
    };
  }
  const { pushNotificationConfig: push, ...settings } = isJsonObject(configuration) ? configuration : {};
  return {
    ...rest,
    ...(isJsonObject(message) && { message: messageToProto(message) }),
    ...(isJsonObject(configuration) && {
      configuration: { ...settings, ...(push !== undefined && { pushNotification: push }) },
    }),
  };
}

/** An answer of JSON-RPC in the shapes of the protocol buffers. */
export function valueToProto(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  if (value.kind === "message") return messageToProto(value);
  if (value.kind !== undefined) return taskToProto(value);
  if (value.pushNotificationConfig !== undefined) return configToProto(value);
  return value.skills === undefined ? value : cardToProto(value);
}

/** A list of webhooks has one page; there is no other list. */
export function listToProto(list: readonly unknown[]): unknown {
  const isOfTasks = list.some((element) => isJsonObject(element) && element.status !== undefined);
  return isOfTasks ? list : { configs: list, nextPageToken: "" };
}

/** A message in the shapes of the protocol buffers. */
function messageToProto({ kind: _, parts, role, referenceTaskIds: __, ...rest }: Json): Json {
  return {
    ...rest,
    role: modelRoles[role as keyof typeof modelRoles] satisfies ModelRole,
    content: objects(parts, partToProto),
  };
}

function taskToProto({ kind: _, status, artifacts, history, artifact, ...rest }: Json): Json {
  return {
    ...rest,
    ...(isJsonObject(status) && { status: statusToProto(status) }),
    ...(isJsonObject(artifact) && { artifact: artifactToProto(artifact) }),
    ...(artifacts !== undefined && { artifacts: objects(artifacts, artifactToProto) }),
    ...(history !== undefined && { history: objects(history, messageToProto) }),
  };
}

function statusToProto({ state, message, ...rest }: Json): Json {
  const name = modelStates[state as keyof typeof modelStates];
  return {
    ...rest,
    state: name === CANCELED ? CANCELLED : name,
    ...(isJsonObject(message) && { message: messageToProto(message) }),
  };
}

function artifactToProto({ parts, ...rest }: Json): Json {
  return { ...rest, parts: objects(parts, partToProto) };
}

function partToProto({ kind, text, file, data }: Json): Json {
  if (kind === "text") return { text };
  if (kind === "data") return { data: { data } };
  const { bytes, uri, mimeType } = isJsonObject(file) ? file : {};
  return {
    file: {
      ...(bytes === undefined ? { fileWithUri: uri } : { fileWithBytes: bytes }),
      ...(mimeType !== undefined && { mimeType }),
    },
  };
}

function configToProto({ taskId, pushNotificationConfig: config }: Json): Json {
  const { id } = isJsonObject(config) ? config : {};
  return { name: `tasks/${taskId}/pushNotificationConfigs/${id}`, pushNotificationConfig: config };
}

function cardToProto({ securitySchemes, security, skills, ...rest }: Json): Json {
  return {
    ...rest,
    ...(isJsonObject(securitySchemes) && {
      securitySchemes: Object.fromEntries(
        Object.entries(securitySchemes).map(([name, scheme]) => [name, schemeToProto(scheme as Json)]),
      ),
    }),
    ...(security !== undefined && { security: objects(security, requirementToProto) }),
    skills: objects(skills, ({ security: needs, ...skill }) => ({
      ...skill,
      ...(needs !== undefined && { security: objects(needs, requirementToProto) }),
    })),
  };
}

function schemeToProto({ type, in: location, ...rest }: Json): Json {
  return { [schemes[String(type)] ?? ""]: { ...rest, ...(location !== undefined && { location }) } };
}

function requirementToProto(requirement: Json): Json {
  return { schemes: Object.fromEntries(Object.entries(requirement).map(([name, list]) => [name, { list }])) };
}

function objects(list: unknown, change: (element: Json) => Json): Json[] {
  return (list as readonly Json[]).map(change);
}
