import { createHash } from "node:crypto";
import { placeOf } from "../sql/task-place.js";
import type { Scope } from "../task-store.js";

/** A short name for a task that is the same in every process: 64 bits, in which no two tasks are likely to meet. */
export function topicOf(scope: Scope, taskId: string): string {
  return createHash("sha1").update(placeOf(scope, taskId)).digest("base64url").slice(0, 11);
}
