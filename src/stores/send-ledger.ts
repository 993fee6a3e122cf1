import type { Message } from "../protocol/model.js";
import type { Lease } from "./lease-store.js";
import type { Scope } from "./task-store.js";

/** Milliseconds after which the record of a send may be deleted: a day. */
export const SEND_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** The outcome of a send: a task and the generation that records the message (a later one if its entry was deleted), or a plain message. */
export type SendOutcome =
  | { readonly taskId: string; readonly generation: number }
  | { readonly reply: Message };

/** The record of a send. Without an outcome the send is still being processed, or the process that claimed it could not record one. */
export interface SendRecord {
  /** Digest of the message and of the metadata of its request. The same key with another digest belongs to a different send. */
  readonly fingerprint: string;
  readonly outcome?: SendOutcome;
}

/**
 * Records sends by their idempotency key, so that a repeated send gets the outcome of the first (§3.3.1). Only agents that enable
 * idempotent sends need it. Records may be deleted after a day; those of finished sends also earlier, when the store has no room.
 */
export interface SendLedger {
  /**
   * Claims a key for a send. A record without an outcome belongs to the node that claimed it, which renews its lease by claiming
   * again. After the lease has expired, any node can claim the key with the same fingerprint.
   * @returns undefined when the node now holds the key; otherwise the existing record
   * @throws StoreFull when the store has no room; StoreError, or the error of the database
   */
  claimSend(scope: Scope, key: string, fingerprint: string, lease: Lease): Promise<SendRecord | undefined>;

  /**
   * Records the outcome of a send that this node has claimed. Has no effect if the record was deleted or has an outcome: the first is
   * kept.
   */
  settleSend(scope: Scope, key: string, outcome: SendOutcome): Promise<void>;

  /**
   * Deletes the record of a send that failed, so that it can be sent again. Has no effect if the record has an outcome, which
   * another node may have recorded after the lease of this one had expired.
   */
  releaseSend(scope: Scope, key: string): Promise<void>;
}

/** Whether a store also implements {@link SendLedger}. */
export function keepsSends<Store extends object>(store: Store): store is Store & SendLedger {
  return "claimSend" in store && typeof store.claimSend === "function";
}
