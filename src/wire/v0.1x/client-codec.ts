import type { ErrorCode } from "../../errors.js";
import type { ClientCodec } from "../client-codec.js";
import { clientCodec as draft } from "../v0.1/client-codec.js";
import { decodeResponse } from "./decode-response.js";
import { encodeRequest } from "./encode-request.js";
import { version } from "./version.js";

/** Numbers of errors that mean something else in the model. */
const numbers: ReadonlyMap<number, ErrorCode> = new Map([
  [-32007, "EXTENSION_SUPPORT_REQUIRED"],
  [-32008, "VERSION_NOT_SUPPORTED"],
]);

/** The wire of the flat dialect from the caller's side. */
export const clientCodec: ClientCodec = {
  ...draft,
  version,
  calls: new Map([
    ...draft.calls,
    ["ListTasks", { method: "tasks/list", http: [] }],
    ["ListTaskPushNotificationConfigs", { method: "tasks/pushNotification/list", http: [] }],
    ["DeleteTaskPushNotificationConfig", { method: "tasks/pushNotification/delete", http: [] }],
  ]),
  encodeRequest,
  decodeResponse,
  errorCodeOf: (number) => numbers.get(number),
};
