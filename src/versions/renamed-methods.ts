import type { OperationName } from "../protocol/operations.js";

/**
 * JSON-RPC methods of older protocol versions and dialects, and the operations that replace them. The table serves to tell callers which
 * method to use instead (§3.6.2); the codecs have their own tables.
 */
const renamed: ReadonlyMap<string, OperationName> = new Map<string, OperationName>([
  ["message/send", "SendMessage"],
  ["message/stream", "SendStreamingMessage"],
  ["tasks/send", "SendMessage"],
  ["tasks/sendSubscribe", "SendStreamingMessage"],
  ["tasks/get", "GetTask"],
  ["tasks/list", "ListTasks"],
  ["tasks/cancel", "CancelTask"],
  ["tasks/resubscribe", "SubscribeToTask"],
  ["tasks/pushNotificationConfig/set", "CreateTaskPushNotificationConfig"],
  ["tasks/pushNotificationConfig/get", "GetTaskPushNotificationConfig"],
  ["tasks/pushNotificationConfig/list", "ListTaskPushNotificationConfigs"],
  ["tasks/pushNotificationConfig/delete", "DeleteTaskPushNotificationConfig"],
  ["tasks/pushNotification/set", "CreateTaskPushNotificationConfig"],
  ["tasks/pushNotification/get", "GetTaskPushNotificationConfig"],
  ["tasks/pushNotification/list", "ListTaskPushNotificationConfigs"],
  ["tasks/pushNotification/delete", "DeleteTaskPushNotificationConfig"],
  ["agent/getAuthenticatedExtendedCard", "GetExtendedAgentCard"],
]);

/** The operation that replaces a method of an older version; undefined for any other method. */
export function operationOfOldMethod(method: string): OperationName | undefined {
  return renamed.get(method);
}
