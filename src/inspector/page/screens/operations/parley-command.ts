import type { OperationName } from "../../../../protocol/operations.js";
import type { CallPlan } from "./call-run.js";
import { shellWord } from "./written-request.js";

type Json = Readonly<Record<string, unknown>>;

const pushWords = (verb: string) => ["task", "push-config", verb];

/** The words of each operation on the command line; undefined where it has no flag for a member of the request. */
const commands: Readonly<Record<OperationName, (request: Json) => readonly string[] | undefined>> = {
  SendMessage: sendWords,
  SendStreamingMessage: (request) => sendWords(request)?.concat("--stream"),
  GetTask: ({ id, historyLength, ...rest }) =>
    plain(rest, ["task", "get", String(id)], { history: historyLength }),
  CancelTask: ({ id, metadata, ...rest }) =>
    plain(rest, ["task", "cancel", String(id)], { metadata: metadata && JSON.stringify(metadata) }),
  SubscribeToTask: ({ id, ...rest }) => plain(rest, ["task", "subscribe", String(id)]),
  ListTasks: ({
    status,
    contextId,
    statusTimestampAfter,
    pageSize,
    pageToken,
    historyLength,
    includeArtifacts,
    ...rest
  }) =>
    plain(rest, ["task", "list", ...(includeArtifacts ? ["--artifacts"] : [])], {
      status:
        typeof status === "string"
          ? status.replace("TASK_STATE_", "").toLowerCase().replaceAll("_", "-")
          : undefined,
      ...{ "context-id": contextId, since: statusTimestampAfter, "page-size": pageSize },
      ...{ "page-token": pageToken, history: historyLength },
    }),
  CreateTaskPushNotificationConfig: ({ taskId, url, id, token, authentication, ...rest }) => {
    const { scheme, credentials } = (authentication ?? {}) as Json;
    return plain(rest, [...pushWords("create"), String(taskId), String(url)], {
      id,
      token,
      scheme,
      credentials,
    });
  },
  GetTaskPushNotificationConfig: ({ taskId, id, ...rest }) =>
    plain(rest, [...pushWords("get"), String(taskId), String(id)]),
  ListTaskPushNotificationConfigs: ({ taskId, ...rest }) =>
    plain(rest, [...pushWords("list"), String(taskId)]),
  DeleteTaskPushNotificationConfig: ({ taskId, id, ...rest }) =>
    plain(rest, [...pushWords("delete"), String(taskId), String(id)]),
  GetExtendedAgentCard: (request) => plain(request, ["card", "get", "--extended"]),
};

function plain(rest: Json, words: readonly string[], flags: Json = {}): readonly string[] | undefined {
  if (Object.values(rest).some((value) => value !== undefined)) return undefined;
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  return [...words, ...given.flatMap(([name, value]) => [`--${name}`, String(value)])];
}

/** Messages of one part of text. */
function sendWords({ message, ...rest }: Json): readonly string[] | undefined {
  const { parts, taskId, contextId, messageId: _, role: __, ...others } = (message ?? {}) as Json;
  const [part, ...more] = (parts ?? []) as readonly Json[];
  const isText = part !== undefined && more.length === 0 && Object.keys(part).join() === "text";
  if (!isText || Object.keys(others).length > 0) return undefined;
  return plain(rest, ["send", String(part.text)], { "task-id": taskId, "context-id": contextId });
}

/** A call on the command line; undefined for a request that it has no words for. */
export function parleyOf({ operation: name, request, entry }: CallPlan, agent: string): string | undefined {
  const words = commands[name](request as Json);
  if (words === undefined) return undefined;
  if (name === "GetExtendedAgentCard") return ["parley", ...words, agent].map(shellWord).join(" ");
  const transport = ["--transport", entry.protocolBinding, "--a2a-version", entry.protocolVersion];
  return ["parley", ...words, "--agent-card", agent, ...transport].map(shellWord).join(" ");
}
