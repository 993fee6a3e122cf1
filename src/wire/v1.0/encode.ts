import type { StreamResponse } from "../../model.js";
import type { Codec, ResponseEncoders } from "../codec.js";
import { EventTexts } from "../event-texts.js";
import { writeJson } from "../json-text.js";

/** Where the wire says more than the model holds. All other responses are their own wire form: it is the newest version's. */
const encoders: ResponseEncoders = {
  // Neither member is marked required, yet a writer always sends both (OP-PUSH-16).
  ListTaskPushNotificationConfigs: ({ configs = [], nextPageToken = "" }) => ({ configs, nextPageToken }),
  // The form of an empty answer is the binding's (OP-PUSH-21).
  DeleteTaskPushNotificationConfig: () => null,
};

/** The response of an operation as a JSON value. */
export const encodeResponse: Codec["encodeResponse"] = (name, response, request) => {
  const encode = encoders[name];
  return encode === undefined ? response : encode(response, request);
};

const texts = new EventTexts();

/** One event of a stream as JSON on one line. Updates are written once however many readers they have. */
export function encodeEvent(event: StreamResponse): string {
  return texts.get(event, writeJson);
}
