import { invalidParams } from "./errors.js";
import type { SendMessageRequest } from "./model.js";

/**
 * Checks the rules for a message that the schema cannot express: a caller speaks as the user, and a webhook that comes with a message is for
 * the task of that message (§3.2.2).
 *
 * @throws A2AError INVALID_PARAMS that names the member
 * @example
 * ```ts
 * class Jobs extends UnimplementedHandler<CallContext> {
 *   override async sendMessage(request: SendMessageRequest) {
 *     checkSendRequest(request);
 *     return { message: agentMessage("Accepted") };
 *   }
 * }
 * ```
 */
export function checkSendRequest({ message, configuration }: SendMessageRequest): void {
  if (message.role !== "ROLE_USER") {
    throw invalidParams("message.role", "must be ROLE_USER in a message to an agent");
  }
  const { taskId } = configuration?.taskPushNotificationConfig ?? {};
  if (taskId && taskId !== message.taskId) {
    throw invalidParams(
      "configuration.taskPushNotificationConfig.taskId",
      "must be absent or the task id of the message",
    );
  }
}
