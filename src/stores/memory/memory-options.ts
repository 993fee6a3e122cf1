import type { Clock } from "../../async/clock.js";
import type { RetentionOptions } from "./retention.js";
import type { ByteBounds } from "./stored-bytes.js";

/** Options of a `MemoryStore`. */
export interface MemoryStoreOptions extends RetentionOptions, ByteBounds {
  /** Source of time; the system clock by default. */
  readonly clock?: Clock | undefined;
}

/** The name of every option. */
export const optionNames: Readonly<Record<keyof MemoryStoreOptions, true>> = {
  ...{ grace: true, graceLogs: true, ttl: true, maxTasks: true, maxBytes: true, maxBytesPerOwner: true },
  clock: true,
};
