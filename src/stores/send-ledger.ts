import type { Message } from "../protocol/model.js";
import type { Lease } from "./lease-store.js";
import type { Scope } from "./task-store.js";

/** What came of a send: a task whose log holds the message since `generation`, or a plain message. */
export type SendOutcome =
  | { readonly taskId: string; readonly generation: number }
  | { readonly reply: Message };

/** What is remembered of a send. Without an outcome it is still under way, or the process that took it has ended. */
export interface SendRecord {
  /** Digest of the content; the same key with another one is another message. */
  readonly fingerprint: string;
  readonly outcome?: SendOutcome;
}

/**
 * Remembers sends by their idempotency key, so that a repeated one gets what the first one got (IDEM-03). Part of a store;
 * needed only by agents that switch idempotent sends on. Records may be dropped after a day.
 */
export interface SendLedger {
  /**
   * Remembers a send unless its key is taken. A record without an outcome belongs to the node that made it, which claims it
   * again to renew its lease; once that has run out, whoever comes next has it, if the fingerprint is the same.
   * @returns the record that holds the key; undefined when the node has it now
   */
  claimSend(scope: Scope, key: string, fingerprint: string, lease: Lease): Promise<SendRecord | undefined>;

  /** Adds what came of a send. */
  settleSend(scope: Scope, key: string, outcome: SendOutcome): Promise<void>;

  /** Forgets a send that was refused, so that it can be tried again. */
  releaseSend(scope: Scope, key: string): Promise<void>;
}

/** Whether a store remembers sends too. */
export function keepsSends<Store extends object>(store: Store): store is Store & SendLedger {
  return "claimSend" in store && typeof store.claimSend === "function";
}
