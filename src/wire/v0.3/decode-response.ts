import type { ListTasksRequest, ListTasksResponse } from "../../model.js";
import type { OperationName } from "../../operations.js";
import type { ClientCodec } from "../client-codec.js";
import { isJsonObject } from "../json-text.js";
import * as newest from "../v1.0/decode-response.js";
import { elementsOf, pageOf } from "../whole-list.js";
import { eventToModel, pushToModel, taskToModel } from "./to-model.js";

/** How an answer is brought into the terms of the model, in which it is then judged. */
const readers: { readonly [Name in OperationName]?: (value: unknown) => unknown } = {
  SendMessage: eventToModel,
  GetTask: taskOf,
  ListTasks: (value) => ({ tasks: elementsOf(value, "tasks").map(taskToModel) }),
  CancelTask: taskOf,
  CreateTaskPushNotificationConfig: pushToModel,
  GetTaskPushNotificationConfig: pushToModel,
  ListTaskPushNotificationConfigs: (value) => {
    const configs = isEmpty(value) ? [] : elementsOf(value, "configs");
    return { configs: configs.map(pushToModel), nextPageToken: "" };
  },
};

/** Reads an answer in the shapes of JSON-RPC or in those of the protocol buffers. See {@link ClientCodec}. */
export const decodeResponse: ClientCodec["decodeResponse"] = (name, value, reading = {}) => {
  const answer = newest.decodeResponse(name, readers[name]?.(value) ?? value, reading.tolerate);
  if (name !== "ListTasks" || reading.request === undefined) return answer;
  const { tasks } = answer as ListTasksResponse;
  return pageOf(tasks, reading.request as ListTasksRequest) as typeof answer;
};

/** See {@link ClientCodec.decodeEvent}. */
export const decodeEvent: ClientCodec["decodeEvent"] = (value, tolerate) =>
  newest.decodeEvent(eventToModel(value), tolerate);

/** Whether an event says that it is the last one. */
export function isLast(value: unknown): boolean {
  const { statusUpdate, final } = isJsonObject(value) ? value : {};
  return final === true || (isJsonObject(statusUpdate) && statusUpdate.final === true);
}

/** Writers of ProtoJSON leave out an empty list. */
function isEmpty(value: unknown): boolean {
  return (
    value === null || (isJsonObject(value) && Object.keys(value).every((name) => name === "nextPageToken"))
  );
}

/** Some peers say of a task that it is one. */
function taskOf(value: unknown): unknown {
  return taskToModel(isJsonObject(value) && isJsonObject(value.task) ? value.task : value);
}
