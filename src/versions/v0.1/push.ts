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

/** What a webhook is read from. */
type Source = "request" | "response";

/** A webhook without its task id. The names of both dialects are read; those of 0.1 are written. */
export const webhook = translation<TaskPushNotificationConfig, firstDraft.PushNotificationConfig, Source>({
  url: { aliases: ["webhookUrl"], empty: true },
  token: {},
  authentication: {
    aliases: ["authenticationInfo"],
    // The model requires a scheme. Credentials without one are kept in a request, so that the validator refuses it, and dropped in a response.
    read: (given, source) => {
      const read = authentication.read(given, undefined);
      if (!isJsonObject(read) || read.scheme) return read;
      return source === "request" && read.credentials ? read : undefined;
    },
    write: authentication.write,
  },
});
