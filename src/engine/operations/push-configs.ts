import type { CallContext } from "../../protocol/call-context.js";
import { clientError } from "../../protocol/errors.js";
import type {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  TaskPushNotificationConfig,
} from "../../protocol/model.js";
import type { PushConfigRegistry } from "../../push/push-configs.js";
import type { EngineOptions } from "../engine-options.js";

/** The part of the engine's options that the operations on push configs read. */
type Options = Pick<EngineOptions, "pushConfigs" | "scopeOf">;

/**
 * CreateTaskPushNotificationConfig (§3.1.7): registers a webhook for the events of a task, or replaces the one with its id.
 * @throws A2AError PUSH_NOTIFICATION_NOT_SUPPORTED, TASK_NOT_FOUND, INVALID_PARAMS, RATE_LIMITED, UNAVAILABLE; what `scopeOf` or the store
 * throws
 */
export async function createConfig(
  options: Options,
  config: TaskPushNotificationConfig,
  call: CallContext,
): Promise<TaskPushNotificationConfig> {
  return registry(options).create(options.scopeOf(call), config, call.version);
}

/**
 * GetTaskPushNotificationConfig (§3.1.8): one webhook of a task.
 * @throws A2AError PUSH_NOTIFICATION_NOT_SUPPORTED; TASK_NOT_FOUND if the task does not exist or has no such webhook; what `scopeOf` or the
 * store throws
 */
export async function getConfig(
  options: Options,
  request: GetTaskPushNotificationConfigRequest,
  call: CallContext,
): Promise<TaskPushNotificationConfig> {
  return registry(options).get(options.scopeOf(call), request);
}

/**
 * ListTaskPushNotificationConfigs (§3.1.9): one page of the webhooks of a task or, with an empty task id, of all the caller's tasks.
 * @throws A2AError PUSH_NOTIFICATION_NOT_SUPPORTED, TASK_NOT_FOUND, INVALID_PARAMS; what `scopeOf` or the store throws
 */
export async function listConfigs(
  options: Options,
  request: ListTaskPushNotificationConfigsRequest,
  call: CallContext,
): Promise<ListTaskPushNotificationConfigsResponse> {
  return registry(options).list(options.scopeOf(call), request);
}

/**
 * DeleteTaskPushNotificationConfig (§3.1.10): removes a webhook. Removing one that does not exist succeeds.
 * @throws A2AError PUSH_NOTIFICATION_NOT_SUPPORTED, TASK_NOT_FOUND; what `scopeOf` or the store throws
 */
export async function deleteConfig(
  options: Options,
  request: DeleteTaskPushNotificationConfigRequest,
  call: CallContext,
): Promise<null> {
  return registry(options).delete(options.scopeOf(call), request);
}

function registry({ pushConfigs }: Options): PushConfigRegistry {
  if (pushConfigs === undefined) throw clientError("PUSH_NOTIFICATION_NOT_SUPPORTED");
  return pushConfigs;
}
