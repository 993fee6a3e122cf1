import { isJsonObject } from "../../json/json-text.js";
import { type JsonBounds, readJson } from "../../json/read-json.js";
import type { Received, StreamResponse } from "../../protocol/model.js";
import { memberOf } from "../../versions/card-interfaces.js";
import { callableVersions, loadCallCodec } from "../../versions/client-codecs.js";
import { camelCased } from "../../versions/translation.js";
import { FIRST_DRAFT_VERSION } from "../../versions/version.js";
import { headerOf, type PushRequest, RefusedPush } from "./push-request.js";

/** Media types that senders use (§4.3.3). */
const MEDIA_TYPES = ["application/a2a+json", "application/json"];

/** Maximum number of top-level members of an event. Reading an event may copy those that are unknown. */
const MAX_MEMBERS = 1000;

const NOT_BYTES =
  "`body` must be the bytes that were received, or their text: a body parser may have read them. With Express, " +
  'mount express.raw({ type: ["application/a2a+json", "application/json"], limit: "10mb" }) for the webhook, before express.json()';

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** An event and the id of its task. */
export interface TaskEvent {
  readonly event: Received<StreamResponse>;
  readonly taskId: string;
}

/**
 * Checks the method, media type and size, before the body is parsed.
 * @throws RefusedPush 405, 415 or 413; TypeError if the application passes a parsed body, or none
 */
export function checkEnvelope(request: PushRequest, maxBytes: number): void {
  if (request.method !== "POST")
    throw new RefusedPush(405, `A notification must be sent with POST, not with ${request.method}`);
  const mediaType = headerOf(request, "content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!MEDIA_TYPES.includes(mediaType))
    throw new RefusedPush(415, "The media type must be application/a2a+json or application/json");
  if (typeof request.body !== "string" && !(request.body instanceof Uint8Array))
    throw new TypeError(NOT_BYTES);
  if (Buffer.byteLength(request.body) > maxBytes) throw new RefusedPush(413, "The notification is too large");
}

/**
 * Reads the event of a notification, leniently (§5.7), in any protocol version that the client supports.
 * @throws RefusedPush 400 when the body is not an event, names no task, or exceeds a bound
 */
export async function readPushEvent({ body }: PushRequest, bounds?: JsonBounds): Promise<TaskEvent> {
  const value = await reading(() => readJson(typeof body === "string" ? body : utf8.decode(body), bounds));
  if (isJsonObject(value) && Object.keys(value).length > MAX_MEMBERS)
    throw new RefusedPush(400, `The body has more than ${MAX_MEMBERS} members`);
  for (const version of notifyingVersions(value)) {
    const codec = await loadCallCodec(version);
    const event = await reading(() => codec.decodeEvent(value));
    const taskId = event && taskIdOf(event);
    if (taskId) return { event, taskId };
  }
  throw new RefusedPush(400, "The body is not an event of a known version, or names no task");
}

/**
 * The versions to try for the body of a notification. Bodies of 0.1 and `0.1-flat` have the id of the task and a status or artifact at the
 * top; those of 1.0 have them inside a member such as `task`. Bodies of 0.2 and 0.3 have them at the top as well, but with `contextId` or
 * `kind`, and without a type.
 */
function notifyingVersions(body: unknown): readonly string[] {
  const { id, taskId, type, eventType, kind, contextId, status, artifact } = camelCased(body);
  const isUnwrapped = (id ?? taskId) !== undefined && (status ?? artifact) !== undefined && !isWrapped(body);
  const isTyped = [type, eventType].some((word) => typeof word === "string");
  const isBare = (kind ?? contextId) === undefined;
  return isUnwrapped && (isTyped || isBare) ? [FIRST_DRAFT_VERSION] : callableVersions;
}

/** Whether the body has its task or update in a member, as in 1.0. */
function isWrapped(body: unknown): boolean {
  return (
    isJsonObject(body) &&
    ["task", "statusUpdate", "artifactUpdate"].some((name) => isJsonObject(memberOf(body, name)))
  );
}

async function reading<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new RefusedPush(
      400,
      `The notification cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  }
}

function taskIdOf({
  task,
  message,
  statusUpdate,
  artifactUpdate,
}: Received<StreamResponse>): string | undefined {
  return task?.id ?? message?.taskId ?? statusUpdate?.taskId ?? artifactUpdate?.taskId;
}
