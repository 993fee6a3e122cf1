import type { Task } from "../../../src/protocol/model.js";
import type { Place } from "../../../src/versions/v0.1/content.js";
import { placeOf, task as tasks } from "../../../src/versions/v0.1/tasks.js";

const place: Place = { taskId: undefined, contextId: undefined, messageId: (what) => `t/${what}` };

/** A task as a codec of the draft wrote it, read again. Time stands for the name of a status message. */
export function readBack(written: unknown, { id, status: { timestamp = "" } }: Task): unknown {
  const messageId = (what: string) => `${id}/${what.startsWith("status-") ? `status-${timestamp}` : what}`;
  return JSON.parse(
    JSON.stringify(tasks.read(written, { ...placeOf({ ...(written as object) }, place), messageId })),
  );
}
