import { requestGuards } from "../../../generated/v1.1-draft/guards.js";
import { operations, protocolVersion } from "../../../generated/v1.1-draft/operations.js";
import { writeJson } from "../../json/json-text.js";
import { eventWithGeneration } from "../../protocol/generations.js";
import type { StreamResponse } from "../../protocol/model.js";
import { generationOf } from "../../task-log/log.js";
import type { Codec, WireRoute } from "../codec.js";
import { EventTexts } from "../events.js";
import { codec as released } from "../v1.0/codec.js";
import { requestReader } from "../v1.0/decode.js";
import { decisions } from "./decisions.js";
import { enums, messages } from "./fields.js";
import { service } from "./grpc.js";

/** Members by message, also for messages that only a later version has. */
const fields: Readonly<Record<string, WireRoute["fields"]>> = messages;
const texts = new EventTexts();

/** An event with its generation, which is its place in the log of its task. */
function withGeneration(event: StreamResponse): StreamResponse {
  return eventWithGeneration(event, generationOf(event));
}

/** An event as JSON on one line. Updates are serialised once for all readers. */
function encodeEvent(event: StreamResponse): string {
  return texts.get(event, (one) => writeJson(withGeneration(one)));
}

/** The server side of protocol 1.1-draft: that of the released version, with generations. */
export const codec: Codec & { readonly version: typeof protocolVersion } = {
  ...released,
  version: protocolVersion,
  decisions,
  routes: released.routes.map((route) => ({
    ...route,
    fields: fields[route.operation.request] ?? route.fields,
  })),
  grpc: { ...service, eventEncoder: () => withGeneration },
  conventions: { ...released.conventions, generations: true },
  notification: { ...released.notification, encode: encodeEvent },
  decodeRequest: requestReader({ operations, requestGuards, messages, enums }),
  eventWriter: () => encodeEvent,
};
