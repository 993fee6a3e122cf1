import { createHash } from "node:crypto";
import { keyText } from "../sql/key-text.js";
import { keyInScope, type Scope } from "../task-store.js";

/**
 * Notifies the processes of one database of each other's writes. Topics are short opaque strings without spaces. Messages may be lost,
 * repeated or late, because readers also poll. Any broadcast channel can implement it. The example assumes a client that can publish
 * while it subscribes; most clients of Redis need a second connection for that.
 *
 * @example
 * ```ts
 * const wakeUps: WakeUps = {
 *   open: (heard) => redis.subscribe("parley", (message) => heard(message.split(" "))),
 *   send: (topics) => void redis.publish("parley", topics.join(" ")).catch(() => undefined),
 *   close: async () => void (await redis.quit()),
 * };
 * ```
 */
export interface WakeUps {
  /**
   * Starts to listen. If it rejects, `PostgresStore.open` rejects with the same error.
   * @param heard called with the topics that other processes have sent; those of this process may be among them
   * @param missed called when messages may have been lost
   */
  open(heard: (topics: readonly string[]) => void, missed: () => void): Promise<void>;

  /** Sends topics to all other processes, as soon as possible. Must not throw. */
  send(topics: readonly string[]): void;

  /** Stops listening and releases all resources. */
  close(): Promise<void>;
}

/** The topic of a task, the same in every process. It has 132 bits of a hash, so no two tasks share one: the store uses it as a key. */
export function topicOf(scope: Scope, taskId: string): string {
  // The hash reads UTF-8, in which different unpaired surrogates would be the same character.
  const key = keyText(keyInScope(scope, taskId));
  return createHash("sha1").update(key).digest("base64url").slice(0, 22);
}
