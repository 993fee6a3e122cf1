import { protocolVersion } from "../../../generated/v0.1/operations.js";
import type { ErrorCode } from "../../errors.js";
import type { OperationName } from "../../operations.js";
import type { ClientCodec, WireCall } from "../client-codec.js";
import { decodeEvent, eventReader, isLast, responseReader } from "./decode-response.js";
import { encodeRequest } from "./encode-request.js";

const call = (method: string): WireCall => ({ method, http: [] });

/** As in the generated table, which would bring validators with it that answers are not read with: a test compares the two. */
const calls: readonly [OperationName, WireCall][] = [
  ["SendMessage", call("tasks/send")],
  ["SendStreamingMessage", call("tasks/sendSubscribe")],
  ["GetTask", call("tasks/get")],
  ["CancelTask", call("tasks/cancel")],
  ["SubscribeToTask", call("tasks/resubscribe")],
  ["CreateTaskPushNotificationConfig", call("tasks/pushNotification/set")],
  ["GetTaskPushNotificationConfig", call("tasks/pushNotification/get")],
  // A task has one webhook: a list of them is that one, or empty.
  ["ListTaskPushNotificationConfigs", call("tasks/pushNotification/get")],
];

/** The wire of the first draft from the caller's side. */
export const clientCodec: ClientCodec = {
  version: protocolVersion,
  calls: new Map(calls),
  customs: {
    extensionsHeader: "A2A-Extensions",
    mediaType: "application/json",
    tenants: false,
    taskIdsOnly: true,
    looseFrames: true,
  },
  encodeRequest,
  decodeResponse: responseReader(),
  decodeEvent,
  eventReader,
  isLast,
  // Only some agents mean streaming by this number.
  errorCodeOf: (number, message) =>
    number === -32006 && !/stream/i.test(message) ? undefined : draftNumbers.get(number),
};

/** Numbers of the draft's text that mean something else in the model. */
const draftNumbers: ReadonlyMap<number, ErrorCode> = new Map([
  [-32006, "UNSUPPORTED_OPERATION"],
  [-32007, "UNAUTHENTICATED"],
  [-32008, "PERMISSION_DENIED"],
  [-32009, "UNSUPPORTED_OPERATION"],
]);
