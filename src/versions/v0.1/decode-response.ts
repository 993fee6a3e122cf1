import { isJsonObject } from "../../json/json-text.js";
import { omitUndefined } from "../../json/omit.js";
import type { Received, StreamResponse } from "../../protocol/model.js";
import type { OperationName, OperationTypes } from "../../protocol/operations.js";
import type { UntypedObject } from "../card-interfaces.js";
import type { ClientCodec, ResponseReading, Tolerate } from "../client-codec.js";
import { camelCased } from "../translation.js";
import * as newest from "../v1.0/decode-response.js";
import { ContractFault } from "../version.js";
import type { FirstDraftContext } from "./content.js";
import { webhook } from "./push.js";
import { artifactUpdate, firstDraftContextOf, statusUpdate, task } from "./tasks.js";

/** Converters of responses to the model, by operation. */
export type AnswerReaders = {
  readonly [Name in OperationName]?: (value: unknown, request: OperationTypes[Name]["request"]) => unknown;
};

/** The converters for both dialects. Each of them reads either dialect. */
const readers: AnswerReaders = {
  SendMessage: (value, { message: { taskId, contextId } }) => ({
    task: readTask(value, omitUndefined({ id: taskId || undefined, contextId })),
  }),
  GetTask: readTask,
  CancelTask: readTask,
  CreateTaskPushNotificationConfig: (value, { taskId = "" }) => readConfig(value, taskId),
  GetTaskPushNotificationConfig: (value, { taskId }) => {
    const config = readConfig(value, taskId);
    if (config === undefined)
      throw new ContractFault("pushNotificationConfig", "must be present: the task has no webhook");
    return config;
  },
  ListTaskPushNotificationConfigs: (value, { taskId }) => {
    // Some agents of the flat dialect list the webhooks of all tasks.
    const entries = Array.isArray(value) ? value.filter((entry) => isOfTask(entry, taskId)) : [value];
    const configs = entries.flatMap((entry) => readConfig(entry, taskId) ?? []);
    return { configs, nextPageToken: "" };
  },
};

/**
 * Creates a reader of responses from the table for both dialects.
 * @param own the dialect's own table, which takes precedence
 */
export function responseReader(own: AnswerReaders = {}): ClientCodec["decodeResponse"] {
  return <Name extends OperationName>(
    name: Name,
    value: unknown,
    { request, tolerate }: ResponseReading<Name> = {},
  ) => {
    const read: AnswerReaders[Name] = own[name] ?? readers[name];
    const answer = read === undefined || request === undefined ? value : read(value, request);
    return newest.decodeResponse(name, answer, { tolerate });
  };
}

/** A task; ids that it omits are taken from the request. */
export function readTask(value: unknown, request: object): unknown {
  return task.read(value, contextOf(isJsonObject(value) ? value : {}, contextOf({ ...request })));
}

/** The context with which an object is read. A message without an id gets one that consists of its task and its position in the object. */
function contextOf(object: UntypedObject, outer: FirstDraftContext = NO_CONTEXT): FirstDraftContext {
  const context = firstDraftContextOf(object, outer);
  const { taskId } = context;
  return {
    ...context,
    messageId: (position) => `${typeof taskId === "string" ? taskId : "task"}/${position}`,
  };
}

const NO_CONTEXT: FirstDraftContext = {
  taskId: undefined,
  contextId: undefined,
  messageId: (position) => position,
};

/** Whether a value names the task `taskId`, or no task. */
function isOfTask(value: unknown, taskId: string): boolean {
  return contextOf(camelCased(value), contextOf({ id: taskId })).taskId === taskId;
}

/** The webhook in a response, with the id of its task as its own id; undefined when there is none. A value of another type is unchanged. */
function readConfig(value: unknown, taskId: string): unknown {
  const config = webhook.read(camelCased(value).pushNotificationConfig, "response");
  return isJsonObject(config) ? { ...config, taskId, id: taskId } : (config ?? undefined);
}

/**
 * Creates a reader of the events of one stream. In 0.1, the stream of a new task begins with its first status; in the model, with the
 * task. See {@link ClientCodec.eventReader}.
 */
export function eventReader<Name extends OperationName>(
  _name: Name,
  request: OperationTypes[Name]["request"],
): (value: unknown, tolerate?: Tolerate) => Received<StreamResponse> | undefined {
  const { id, message = {} } = request as { id?: string; message?: UntypedObject };
  const { taskId, contextId, messageId } = message;
  let context = contextOf({
    id: id || taskId || messageId,
    contextId: contextId || (taskId ? undefined : messageId),
  });
  let isNewTask = !id && !taskId;
  return (value, tolerate) => {
    const event = readEvent(value, context, isNewTask);
    // Agents may assign ids themselves, and later events may omit them: they then have those of earlier events.
    if (isJsonObject(value)) context = contextOf(value, context);
    isNewTask = false;
    return newest.decodeEvent(event, tolerate);
  };
}

/** Reads the body of a webhook call. See {@link ClientCodec.decodeEvent}. */
export function decodeEvent(value: unknown, tolerate?: Tolerate): Received<StreamResponse> | undefined {
  return newest.decodeEvent(readEvent(value, NO_CONTEXT, false), tolerate);
}

/** Whether an event is marked as the last one. */
export function isLast(value: unknown): boolean {
  return isJsonObject(value) && value.final === true;
}

/**
 * Reads an event of either dialect. An event with a status is read as a task if it opens the stream of a new task, or if it has artifacts,
 * a history, or both `id` and `taskId`, as whole tasks in some streams and webhooks do; else as a status update.
 */
function readEvent(value: unknown, outer: FirstDraftContext, isNewTask: boolean): unknown {
  if (!isJsonObject(value)) return value;
  const context = contextOf(value, outer);
  const { status, id, taskId, artifacts, history, timestamp } = camelCased(value);
  if (status !== undefined) {
    const isTask =
      isNewTask || (artifacts ?? history) !== undefined || (id !== undefined && taskId !== undefined);
    // Some agents send the state instead of the status, with the timestamp next to it.
    const written = isJsonObject(status) ? status : { state: status };
    const whole = { ...camelCased(value), status: { timestamp, ...written } };
    return isTask ? { task: task.read(whole, context) } : { statusUpdate: statusUpdate.read(whole, context) };
  }
  if (!isJsonObject(value.artifact)) return {};
  // The flags of a chunk are in the artifact or next to it.
  const { append, lastChunk } = camelCased(value.artifact);
  return { artifactUpdate: artifactUpdate.read({ append, lastChunk, ...camelCased(value) }, context) };
}
