import { createHash } from "node:crypto";
import { A2AError, invalidParams } from "../errors.js";
import type { SendMessageRequest } from "../model.js";
import type { Lease } from "../stores/lease-store.js";
import type { SendLedger, SendOutcome } from "../stores/send-ledger.js";
import type { Scope } from "../stores/task-store.js";

/** Seconds after which a repeated send may be tried again whose first attempt has no outcome yet. */
const RETRY_SECONDS = 1;

/** A send that is taken in now. */
interface Attempt {
  readonly fingerprint: string;
  readonly outcome: Promise<SendOutcome>;
}

/**
 * Lets a message have its effect once (IDEM-02, IDEM-03): a repeated send with the same key and content gets what the first
 * one got, also while that is under way; the same key with other content is refused.
 */
export class IdempotentSends {
  readonly #ledger: SendLedger;
  readonly #lease: Lease;
  readonly #underWay = new Map<string, Attempt>();

  /** @param lease how long another process leaves a send to this one that has no outcome yet */
  constructor(ledger: SendLedger, lease: Lease) {
    this.#ledger = ledger;
    this.#lease = lease;
  }

  /**
   * @param key the caller's idempotency key, or the id of the message
   * @param send takes the message in; called only for the first of its key
   * @throws A2AError INVALID_PARAMS for a key that belongs to another message, UNAVAILABLE when another process is at it
   */
  async once(
    scope: Scope,
    key: string,
    request: SendMessageRequest,
    send: () => Promise<SendOutcome>,
  ): Promise<SendOutcome> {
    const fingerprint = digest(request);
    const place = JSON.stringify([scope.tenant, scope.owner, key]);
    const known = this.#underWay.get(place);
    if (known !== undefined) {
      checkSame(known.fingerprint, fingerprint);
      return known.outcome;
    }
    const outcome = this.#attempt({ scope, key, fingerprint }, send).finally(() =>
      this.#underWay.delete(place),
    );
    this.#underWay.set(place, { fingerprint, outcome });
    return outcome;
  }

  async #attempt(
    { scope, key, fingerprint }: { scope: Scope; key: string; fingerprint: string },
    send: () => Promise<SendOutcome>,
  ): Promise<SendOutcome> {
    const known = await this.#ledger.claimSend(scope, key, fingerprint, this.#lease);
    if (known !== undefined) {
      checkSame(known.fingerprint, fingerprint);
      if (known.outcome !== undefined) return known.outcome;
      throw new A2AError("UNAVAILABLE", "The first attempt at this message is still under way", {
        retryAfter: RETRY_SECONDS,
      });
    }
    let outcome: SendOutcome;
    try {
      outcome = await send();
    } catch (error) {
      await this.#ledger.releaseSend(scope, key);
      throw error;
    }
    await this.#ledger.settleSend(scope, key, outcome);
    return outcome;
  }
}

/** @throws A2AError INVALID_PARAMS */
function checkSame(known: string, fingerprint: string): void {
  if (known === fingerprint) return;
  throw invalidParams("message.messageId", "was used for a message with other content");
}

/** What makes two sends the same: the message and the metadata, not how the answer is wanted. */
function digest({ message, metadata }: SendMessageRequest): string {
  return createHash("sha256")
    .update(JSON.stringify([message, metadata]))
    .digest("base64url");
}
