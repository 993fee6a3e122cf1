import { assertObject } from "./argument.js";
import { invalidParams } from "./errors.js";
import type { SendMessageRequest } from "./model.js";

const NEEDS = "checkSendRequest needs the request of SendMessage";
const NEEDS_MESSAGE = `${NEEDS}: message must be an object`;

/**
 * Checks the rules for a message that the schema cannot express: its role is ROLE_USER, and a webhook that comes with it names no task, or
 * that of the message (§3.2.2).
 *
 * @throws A2AError INVALID_PARAMS that names the member
 * @throws TypeError for what is not a request with a message
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
export function checkSendRequest(request: SendMessageRequest): void {
  assertObject(request, NEEDS);
  const { message, configuration } = request;
  assertObject(message, NEEDS_MESSAGE);
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
