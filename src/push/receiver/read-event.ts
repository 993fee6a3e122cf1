import { readJson } from "../../json/json-text.js";
import type { StreamResponse } from "../../protocol/model.js";
import { loadClientCodec, notifyingVersions } from "../../versions/client-codecs.js";
import { headerOf, type PushRequest, RefusedPush } from "./push-request.js";

/** Media types that senders use (HOOK-09). */
const MEDIA_TYPES = ["application/a2a+json", "application/json"];

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** An event, and the task that it belongs to. */
export interface TaskEvent {
  readonly event: StreamResponse;
  readonly taskId: string;
}

/**
 * Sees that a request can be a notification, before anything of it is looked at.
 * @throws Refusal 405, 415 or 413
 */
export function checkEnvelope(request: PushRequest, maxBytes: number): void {
  if (request.method !== "POST")
    throw new RefusedPush(405, `A notification is not sent by ${request.method}`);
  const mediaType = headerOf(request, "content-type")?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (!MEDIA_TYPES.includes(mediaType))
    throw new RefusedPush(415, "The media type is not that of a notification");
  if (Buffer.byteLength(request.body) > maxBytes) throw new RefusedPush(413, "The notification is too large");
}

/**
 * Reads the event of a notification of any version, as leniently as events of a stream are read (§5.7).
 * @throws Refusal 400 when it is none, or names no task
 */
export async function readPushEvent({ body }: PushRequest): Promise<TaskEvent> {
  const value = reading(() => readJson(typeof body === "string" ? body : utf8.decode(body)));
  for (const version of notifyingVersions(value)) {
    const codec = await loadClientCodec(version);
    const event = reading(() => codec.decodeEvent(value));
    const taskId = event && taskIdOf(event);
    if (taskId) return { event, taskId };
  }
  throw new RefusedPush(400, "The notification is of no kind that is known, or names no task");
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
