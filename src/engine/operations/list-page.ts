import { valueSize } from "../../json/value-size.js";
import { invalidParams } from "../../protocol/errors.js";
import type { ListTasksRequest, Task } from "../../protocol/model.js";
import type { PagePosition, Scope, TaskPage } from "../../stores/task-store.js";

/**
 * Writes a place in a list as an opaque token (PAGE-01). It is bound to the filters and the caller, so that it cannot be
 * used with others (PAGE-08), and gives no access beyond the scope, which every page checks anew (PAGE-10).
 */
export function writePageToken(position: PagePosition, request: ListTasksRequest, scope: Scope): string {
  const place = `${position.timestamp} ${position.taskId}`;
  return Buffer.from(`${seal(place, request, scope)} ${place}`).toString("base64url");
}

/**
 * The place that a token stands for.
 * @throws A2AError INVALID_PARAMS naming `pageToken` when it is damaged, foreign, or made for other filters (PAGE-07)
 */
export function readPageToken(token: string, request: ListTasksRequest, scope: Scope): PagePosition {
  const text = Buffer.from(token, "base64url").toString();
  const [sealed, timestamp, taskId] = text.split(" ");
  if (
    timestamp === undefined ||
    taskId === undefined ||
    sealed !== seal(`${timestamp} ${taskId}`, request, scope)
  ) {
    throw invalidParams(
      "pageToken",
      "is not a token of this list: use nextPageToken of the page before, with the same filters",
    );
  }
  return { timestamp, taskId };
}

/** Finds mistakes, and is no signature: a forged token can only name a place in the forger's own list. */
function seal(place: string, request: ListTasksRequest, scope: Scope): string {
  const { contextId = "", status = "", statusTimestampAfter = "" } = request;
  const bound = [place, scope.agent, scope.tenant, scope.owner, contextId, status, statusTimestampAfter];
  return checksum(JSON.stringify(bound));
}

/** FNV-1a with 32 bits: every page of a list has a token, and a digest takes longer than finding the tasks of the page. */
function checksum(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

/**
 * How many tasks of a page may be sent together; one at least, however large it is. A store that knows how many bytes it has read, and
 * that these are few enough, spares looking at the tasks.
 *
 * @param tasks those of the page, as they are shown
 * @param maxBytes bytes that they may have, about as they are in memory
 */
export function countWithin({ bytes }: TaskPage, tasks: readonly Task[], maxBytes: number): number {
  if (tasks.length <= 1 || (bytes !== undefined && bytes <= maxBytes)) return tasks.length;
  let sum = 0;
  for (const [index, task] of tasks.entries()) {
    sum += valueSize(task);
    if (sum > maxBytes) return Math.max(index, 1);
  }
  return tasks.length;
}
