import { readJson } from "../../json/json-text.js";
import type { StreamResponse } from "../../protocol/model.js";
import { loadClientCodec, notifyingVersions } from "../../versions/client-codecs.js";
import { headerOf, type PushRequest, RefusedPush } from "./push-request.js";

/** Media types that senders use (§4.3.3). */
const MEDIA_TYPES = ["application/a2a+json", "application/json"];

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** An event and the id of its task. */
export interface TaskEvent {
  readonly event: StreamResponse;
  readonly taskId: string;
}

/**
 * Checks the method, media type and size, before the body is parsed.
 * @throws RefusedPush 405, 415 or 413
 */
export function checkEnvelope(request: PushRequest, maxBytes: number): void {
  if (request.method !== "POST")
    throw new RefusedPush(405, `A notification must be sent with POST, not with ${request.method}`);
  const mediaType = headerOf(request, "content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!MEDIA_TYPES.includes(mediaType))
    throw new RefusedPush(415, "The media type must be application/a2a+json or application/json");
  if (Buffer.byteLength(request.body) > maxBytes) throw new RefusedPush(413, "The notification is too large");
}

/**
 * Reads the event of a notification of any protocol version, as leniently as events of a stream are read (§5.7).
 * @throws RefusedPush 400 when the body is not an event, or names no task
 */
export async function readPushEvent({ body }: PushRequest): Promise<TaskEvent> {
  const value = reading(() => readJson(typeof body === "string" ? body : utf8.decode(body)));
  for (const version of notifyingVersions(value)) {
    const codec = await loadClientCodec(version);
    const event = reading(() => codec.decodeEvent(value));
    const taskId = event && taskIdOf(event);
    if (taskId) return { event, taskId };
  }
  throw new RefusedPush(400, "The body is not an event of a known version, or names no task");
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new RefusedPush(
      400,
      `The notification cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  }
}

function taskIdOf({ task, message, statusUpdate, artifactUpdate }: StreamResponse): string | undefined {
  return task?.id ?? message?.taskId ?? statusUpdate?.taskId ?? artifactUpdate?.taskId;
}
