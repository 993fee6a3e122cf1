import type { StreamResponse } from "../../model.js";
import type { OperationName, OperationTypes } from "../../operations.js";
import type { Reading, Tolerate } from "../client-codec.js";
import { ContractFault } from "../contract-fault.js";
import { isJsonObject } from "../json-text.js";
import * as newest from "../v1.0/decode-response.js";
import {
  artifactToModel,
  type Json,
  type Place,
  placeOf,
  present,
  statusToModel,
  taskToModel,
  webhookToModel,
  withoutNote,
} from "./to-model.js";

type Readers = {
  readonly [Name in OperationName]?: (value: unknown, request: OperationTypes[Name]["request"]) => unknown;
};

/** How an answer is brought into the terms of the model. Those of both dialects are read, whoever gives them. */
const readers: Readers = {
  SendMessage: (value, { message }) => ({
    task: taskToModel(value, around(message.taskId || undefined, message.contextId)),
  }),
  GetTask: (value, { id }) => taskToModel(value, around(id)),
  CancelTask: (value, { id }) => taskToModel(value, around(id)),
  ListTasks: (value) => {
    if (!Array.isArray(value)) throw new ContractFault("", "must be a list of tasks");
    const tasks = value.map((task) => taskToModel(task, around(undefined)));
    return { tasks, nextPageToken: "", pageSize: tasks.length, totalSize: tasks.length };
  },
  CreateTaskPushNotificationConfig: (value, { taskId = "" }) => configIn(value, taskId),
  GetTaskPushNotificationConfig: (value, { taskId }) => {
    const config = configIn(value, taskId);
    if (config === undefined)
      throw new ContractFault("pushNotificationConfig", "is null: the task has no webhook");
    return config;
  },
  ListTaskPushNotificationConfigs: (value, { taskId }) => {
    const configs = [value].flat().flatMap((entry) => configIn(entry, taskId) ?? []);
    return { configs, nextPageToken: "" };
  },
};

/** See {@link ClientCodec.decodeResponse}. */
export function decodeResponse<Name extends OperationName>(
  name: Name,
  value: unknown,
  { request, tolerate }: Reading<Name> = {},
): OperationTypes[Name]["response"] {
  const read = readers[name];
  const answer = read === undefined || request === undefined ? value : read(value, request);
  return newest.decodeResponse(name, answer, tolerate);
}

/** Messages of the draft have no names: they get one that is the same whenever the answer is read. */
function around(taskId: string | undefined, contextId?: string): Place {
  const messageId = (what: string): string => `${taskId ?? "task"}/${what}`;
  return { taskId, contextId: contextId || undefined, messageId };
}

/** The webhook in an answer, under the name of its task; undefined when there is none. */
function configIn(value: unknown, taskId: string): unknown {
  const { pushNotificationConfig: config } = isJsonObject(value) ? value : {};
  const webhook = webhookToModel(config);
  return isJsonObject(webhook) ? { ...webhook, taskId, id: taskId } : undefined;
}

/**
 * Reader of the events of one stream. In the draft the stream of a new task begins with its first status; here, with the task
 * that has it. See {@link ClientCodec.eventReader}.
 */
export function eventReader<Name extends OperationName>(
  _name: Name,
  request: OperationTypes[Name]["request"],
): (value: unknown, tolerate?: Tolerate) => StreamResponse | undefined {
  const { id, message } = request as Json;
  const { taskId, contextId, messageId } = isJsonObject(message) ? message : {};
  const place = around(String(id || taskId || messageId), String(contextId || messageId || ""));
  let begins = !id && !taskId;
  return (value, tolerate) => {
    const event = toModel(value, place, begins);
    begins = false;
    return newest.decodeEvent(event, tolerate);
  };
}

/** Reads the body of a call of a webhook. See {@link ClientCodec.decodeEvent}. */
export function decodeEvent(value: unknown, tolerate?: Tolerate): StreamResponse | undefined {
  return newest.decodeEvent(toModel(value, around(undefined), false), tolerate);
}

/** Whether an event says that it is the last one. */
export function isLast(value: unknown): boolean {
  return isJsonObject(value) && value.final === true;
}

function toModel(value: unknown, around: Place, begins: boolean): unknown {
  if (!isJsonObject(value)) return value;
  const { id, taskId, sessionId, contextId, status, artifact, metadata } = value;
  // A whole task: the first event of a stream in the flat dialect, and what webhooks are sent.
  const isTask =
    value.artifacts !== undefined || value.history !== undefined || value.eventType !== undefined;
  if (isTask && status !== undefined) return { task: taskToModel({ ...value, id: id ?? taskId }, around) };
  const place = placeOf({ id: id ?? taskId, contextId: sessionId ?? contextId }, around);
  const ids = { taskId: place.taskId, contextId: place.contextId ?? place.taskId };
  const { note, rest } = withoutNote(metadata);
  if (status !== undefined) {
    const update = { status: statusToModel(status, place, note), metadata: rest };
    return begins
      ? { task: present({ id: place.taskId, contextId: place.contextId, ...update }) }
      : { statusUpdate: present({ ...ids, ...update }) };
  }
  if (!isJsonObject(artifact)) return {};
  const { append = artifact.append, lastChunk = artifact.lastChunk } = value;
  const pieces = { append: append || undefined, lastChunk: lastChunk || undefined };
  return {
    artifactUpdate: present({ ...ids, artifact: artifactToModel(artifact), ...pieces, metadata: rest }),
  };
}
