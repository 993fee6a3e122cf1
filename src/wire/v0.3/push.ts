import type { PushNotificationConfig, TaskPushNotificationConfig } from "../../../generated/v0.3/models.js";
import type { TaskPushNotificationConfig as ModelConfig } from "../../model.js";
import { filled } from "./content.js";

/** A webhook in terms of the model, where everything is on one level and authentication has one scheme. */
export function decodePush({ authentication, ...config }: PushNotificationConfig): ModelConfig {
  const [scheme] = authentication?.schemes ?? [];
  const { credentials } = authentication ?? {};
  return {
    ...filled(config),
    url: config.url,
    ...(scheme && { authentication: { scheme, ...(credentials && { credentials }) } }),
  };
}

/** @param taskId the task when the webhook does not name it */
export function encodePush(config: ModelConfig, taskId = ""): TaskPushNotificationConfig {
  return { taskId: config.taskId || taskId, pushNotificationConfig: encodePushContent(config) };
}

/** The webhook alone, as it comes along with a message. */
export function encodePushContent({ id, url, token, authentication }: ModelConfig): PushNotificationConfig {
  return {
    url,
    ...(id && { id }),
    ...(token && { token }),
    ...(authentication && {
      authentication: {
        schemes: [authentication.scheme],
        ...(authentication.credentials && { credentials: authentication.credentials }),
      },
    }),
  };
}
