import { unknownName } from "../json/unknown-name.js";
import { assertObject } from "../protocol/argument.js";
import type { Task } from "../protocol/model.js";
import { enums } from "../protocol/operations.js";
import type { LogEntry } from "./task-store.js";

/**
 * The entry that ends a stuck task as FAILED.
 * @param now milliseconds since 1970; the timestamp of the entry is never in an earlier millisecond than that of the task
 */
export function expiryEntry(
  { id: taskId, contextId = "", status: { timestamp } }: Task,
  now: number,
): LogEntry {
  const at = Math.max(now, timestamp === undefined ? 0 : Date.parse(timestamp));
  const status = {
    state: "TASK_STATE_FAILED" as const,
    message: {
      messageId: `${taskId}-expired`,
      role: "ROLE_AGENT" as const,
      parts: [{ text: "This task was ended because it had no update for too long." }],
      taskId,
      contextId,
    },
    timestamp: new Date(at).toISOString(),
  };
  return { event: { statusUpdate: { taskId, contextId, status } } };
}

/** The limits among the options of stores. */
interface Limits {
  readonly grace?: number | undefined;
  readonly graceLogs?: number | undefined;
  readonly ttl?: Readonly<Record<string, number>> | undefined;
  readonly maxTasks?: number | undefined;
  readonly cacheBytes?: number | undefined;
  readonly maxBytes?: number | undefined;
  readonly maxBytesPerOwner?: number | undefined;
}

/**
 * Checks the names of a store's options, and the limits among the options.
 * @param names the name of every option of the store
 * @throws TypeError for options or a `ttl` that are not objects, an option that does not exist, a time for a state that does not exist, and
 * a limit that is negative or not a number
 */
export function checkStoreOptions(given: Limits, names: object): void {
  assertObject(given, "A store needs options, such as { maxTasks: 10_000 }");
  const { ttl = {}, ...options } = given;
  if (typeof ttl !== "object" || ttl === null)
    throw new TypeError(
      `ttl must have milliseconds by state, as in { TASK_STATE_COMPLETED: 3_600_000 }, not ${ttl}`,
    );
  const unknown = unknownName(options, names) ?? unknownName(ttl, enums.TaskState, "ttl");
  if (unknown !== undefined) throw new TypeError(unknown);
  const {
    grace = 0,
    graceLogs = 0,
    maxTasks = 0,
    cacheBytes = 0,
    maxBytes = 0,
    maxBytesPerOwner = 0,
  } = options;
  const limits = { grace, graceLogs, maxTasks, cacheBytes, maxBytes, maxBytesPerOwner, ...ttl };
  for (const [name, limit] of Object.entries(limits)) {
    if (typeof limit !== "number" || !(limit >= 0))
      throw new TypeError(`${name} must be a number of at least 0, not ${limit}`);
  }
}
