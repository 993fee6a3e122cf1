import { createHash } from "node:crypto";
import type { Clock } from "../../async/clock.js";
import { A2AError, invalidParams } from "../../protocol/errors.js";
import type { SendMessageRequest } from "../../protocol/model.js";
import type { Lease } from "../../stores/lease-store.js";
import type { SendLedger, SendOutcome } from "../../stores/send-ledger.js";
import type { Scope } from "../../stores/task-store.js";

/** Seconds after which a repeated send may be tried again whose first attempt has no outcome yet. */
const RETRY_SECONDS = 1;
/** How often a send under way elsewhere is asked after: at first, and at most, in milliseconds. */
const FIRST_PAUSE = 20;
const LONGEST_PAUSE = 500;
/** The lease of a send is renewed this often while it lasts. */
const RENEWALS = 3;

const ignore = (): void => undefined;

/** A send and what it is known by. */
export interface KnownSend {
  readonly scope: Scope;
  readonly key: string;
  readonly fingerprint: string;
  /** Id of the task that it makes if it makes one: the same for each attempt, so that one whose process died is found by it. */
  readonly taskId: string;
}

/** A send that is taken in now. */
interface Attempt extends KnownSend {
  readonly outcome: Promise<SendOutcome>;
}

/** What {@link IdempotentSends} work with. */
export interface IdempotentSendsOptions {
  readonly ledger: SendLedger;
  /** How long other processes leave a send to this one that has no outcome yet; renewed while it is under way. */
  readonly lease: Lease;
  readonly clock: Clock;
}

/**
 * Lets a message have its effect once (IDEM-02, IDEM-03): a repeated send with the same key and content gets what the first
 * one got, also while that is under way, here or on another node; the same key with other content is refused. What a process
 * that died had begun is gone on with.
 */
export class IdempotentSends {
  readonly #options: IdempotentSendsOptions;
  readonly #underWay = new Map<string, Attempt>();
  #renewing = false;

  constructor(options: IdempotentSendsOptions) {
    this.#options = options;
  }

  /**
   * What a send is known by.
   * @param key the caller's idempotency key, or the id of the message
   */
  know(scope: Scope, key: string, { message, metadata }: SendMessageRequest): KnownSend {
    const fingerprint = digest([message, metadata]);
    return { scope, key, fingerprint, taskId: taskIdOf(scope, key, fingerprint) };
  }

  /**
   * @param send takes the message in; called only for the first of its key. A task that it makes gets the known id
   * @throws A2AError INVALID_PARAMS for a key that belongs to another message, UNAVAILABLE when another process is at it for long
   */
  async once(known: KnownSend, send: () => Promise<SendOutcome>): Promise<SendOutcome> {
    const { scope, key } = known;
    const place = JSON.stringify([scope.tenant, scope.owner, key]);
    const underWay = this.#underWay.get(place);
    if (underWay !== undefined) {
      checkSame(underWay, known);
      return underWay.outcome;
    }
    const outcome = this.#attempt(known, send).finally(() => this.#underWay.delete(place));
    this.#underWay.set(place, { ...known, outcome });
    this.#renewLater();
    return outcome;
  }

  async #attempt(known: KnownSend, send: () => Promise<SendOutcome>): Promise<SendOutcome> {
    const { ledger } = this.#options;
    const { scope, key } = known;
    const earlier = await this.#claim(known);
    if (earlier !== undefined) return earlier;
    let outcome: SendOutcome;
    try {
      outcome = await send();
    } catch (error) {
      await ledger.releaseSend(scope, key);
      throw error;
    }
    await ledger.settleSend(scope, key, outcome);
    return outcome;
  }

  /** Claims a send, or waits for the outcome that it has elsewhere. */
  async #claim(known: KnownSend): Promise<SendOutcome | undefined> {
    const { ledger, lease, clock } = this.#options;
    const end = clock.now() + lease.duration;
    for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      const record = await ledger.claimSend(known.scope, known.key, known.fingerprint, lease);
      if (record === undefined) return undefined;
      checkSame(record, known);
      if (record.outcome !== undefined) return record.outcome;
      if (clock.now() + pause > end) {
        throw new A2AError("UNAVAILABLE", "The first attempt at this message is still under way", {
          retryAfter: RETRY_SECONDS,
        });
      }
      await new Promise<void>((resolve) => clock.schedule(pause, resolve));
    }
  }

  /** One timer for all sends under way, and none while there is none. */
  #renewLater(): void {
    if (this.#renewing) return;
    const { ledger, lease, clock } = this.#options;
    this.#renewing = true;
    clock.schedule(lease.duration / RENEWALS, () => {
      this.#renewing = false;
      if (this.#underWay.size === 0) return;
      this.#renewLater();
      for (const { scope, key, fingerprint } of this.#underWay.values()) {
        // One that fails is made again at the next time, before the lease has run out.
        ledger.claimSend(scope, key, fingerprint, lease).catch(ignore);
      }
    });
  }
}

/** @throws A2AError INVALID_PARAMS */
function checkSame(known: { readonly fingerprint: string }, { fingerprint }: KnownSend): void {
  if (known.fingerprint === fingerprint) return;
  throw invalidParams("message.messageId", "was used for a message with other content");
}

/** The id of the task that a send makes: a UUID of the form that is left to applications. */
function taskIdOf({ agent, tenant, owner }: Scope, key: string, fingerprint: string): string {
  const hex = digest([agent, tenant, owner, key, fingerprint], "hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** What makes two sends the same: the message and the metadata, not how the answer is wanted. */
function digest(parts: readonly unknown[], form: "hex" | "base64url" = "base64url"): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest(form);
}
