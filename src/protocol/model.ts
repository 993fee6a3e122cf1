/**
 * The model: the types of the newest released protocol version, and the guards that check them. The library uses these
 * types everywhere; codecs translate other versions.
 */

export { requestGuards, responseGuards } from "../../generated/v1.0/guards.js";
export type * from "../../generated/v1.0/models.js";
export type { Open, Received, UnrecognizedEnumValue } from "../../generated/v1.0/received.js";
export type { ValidationError, Validator } from "../../generated/v1.0/validators.js";

export {
  isAgentCard,
  isAgentCardSignature,
  isArtifact,
  isCancelTaskRequest,
  isDeleteTaskPushNotificationConfigRequest,
  isGetExtendedAgentCardRequest,
  isGetTaskPushNotificationConfigRequest,
  isGetTaskRequest,
  isListTaskPushNotificationConfigsRequest,
  isListTaskPushNotificationConfigsResponse,
  isListTasksRequest,
  isListTasksResponse,
  isMessage,
  isPart,
  isRole,
  isSendMessageRequest,
  isSendMessageResponse,
  isStreamResponse,
  isSubscribeToTaskRequest,
  isTask,
  isTaskArtifactUpdateEvent,
  isTaskPushNotificationConfig,
  isTaskState,
  isTaskStatusUpdateEvent,
} from "../../generated/v1.0/validators.js";
