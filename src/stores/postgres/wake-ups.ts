import { createHash } from "node:crypto";
import { keyInScope, type Scope } from "../task-store.js";

/**
 * How the processes at one database tell each other that something was written. Topics are short texts without meaning. What is
 * sent may be lost, doubled or late: whoever waits also looks from time to time. So anything that can broadcast will do.
 */
export interface WakeUps {
  /**
   * Begins to listen.
   * @param heard called with topics that other processes sent; its own make no difference
   * @param missed called when something may have been lost
   */
  open(heard: (topics: readonly string[]) => void, missed: () => void): Promise<void>;

  /** Tells all others, as soon as it can. Never fails. */
  send(topics: readonly string[]): void;

  close(): Promise<void>;
}

/** A short name for a task that is the same in every process: 64 bits, in which no two tasks are likely to meet. */
export function topicOf(scope: Scope, taskId: string): string {
  return createHash("sha1").update(keyInScope(scope, taskId)).digest("base64url").slice(0, 11);
}
