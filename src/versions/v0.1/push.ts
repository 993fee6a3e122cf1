import type * as firstDraft from "../../../generated/v0.1/models.js";
import { isJsonObject } from "../../json/json-text.js";
import type { AuthenticationInfo, TaskPushNotificationConfig } from "../../protocol/model.js";
import { translation } from "../translation.js";

/** Authentication of a webhook. Only the first scheme is read, because the model has one. */
const authentication = translation<AuthenticationInfo, firstDraft.AuthenticationInfo>({
  scheme: {
    as: "schemes",
    aliases: ["scheme"],
    read: (given) => [given].flat()[0],
    write: (scheme) => [scheme],
  },
  credentials: { aliases: ["value"] },
});

/** A webhook without its task id. The names of both dialects are read; those of 0.1 are written. */
export const webhook = translation<TaskPushNotificationConfig, firstDraft.PushNotificationConfig>({
  url: { aliases: ["webhookUrl"], empty: true },
  token: {},
  authentication: {
    aliases: ["authenticationInfo"],
    // The model requires a scheme, and credentials without one are refused.
    read: (given) => {
      const read = authentication.read(given, undefined);
      return isJsonObject(read) && !(read.scheme || read.credentials) ? undefined : read;
    },
    write: authentication.write,
  },
});
