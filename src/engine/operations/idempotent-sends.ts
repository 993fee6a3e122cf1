import { runtime } from "#runtime";
import { type BackoffRange, exponentialDelay } from "../../async/backoff.js";
import type { Clock } from "../../async/clock.js";
import { toHex } from "../../json/hex.js";
import { sameJson } from "../../json/same-json.js";
import { sortedJson } from "../../json/sorted-json.js";
import { A2AError, invalidParams } from "../../protocol/errors.js";
import type { Message, SendMessageRequest } from "../../protocol/model.js";
import type { Lease } from "../../stores/lease-store.js";
import type { SendLedger, SendOutcome } from "../../stores/send-ledger.js";
import { keyInScope, type Scope } from "../../stores/task-store.js";
import { readLog } from "../../task-log/follow.js";
import type { TaskLog } from "../task-log.js";

/** `Retry-After` in seconds for a repeated send if the first one has no outcome yet. */
const PENDING_RETRY_SECONDS = 1;
/** Milliseconds between two polls of a send that another process has claimed. */
const POLL_PAUSES: BackoffRange = { first: 20, longest: 500 };
/** Number of renewals per duration of the lease of a send. */
const RENEWALS = 3;

const ignore = (): void => undefined;

/** Identifies a send. */
export interface SendIdentity {
  readonly scope: Scope;
  /** The caller's idempotency key, or the id of the message, with a prefix that says which. */
  readonly key: string;
  /** Digest of the message and of the metadata of its request, regardless of the order of members. */
  readonly fingerprint: string;
  /** Where the caller gave the key, for error messages. */
  readonly source: "Idempotency-Key" | "message.messageId";
  /**
   * Id of the task, if the send creates one and the caller has not chosen its id. It is the same each time the send is executed, so that a
   * later execution finds the task of an earlier one.
   */
  readonly taskId: string;
}

/** A send that this process executes, or whose outcome it waits for. */
interface PendingSend extends SendIdentity {
  readonly outcome: Promise<SendOutcome>;
}

/** What {@link IdempotentSends} works with. */
export interface IdempotentSendsOptions {
  readonly ledger: SendLedger;
  /** Name of this process in the ledger, and how long a claimed send belongs to it. Renewed while the send is under way. */
  readonly lease: Lease;
  readonly clock: Clock;
}

/**
 * Executes repeated sends once. A send with the same key, message and metadata as an earlier one gets the outcome of that one. While the
 * earlier one is under way, here or on another node, the repetition waits. The same key with another message or other metadata is refused.
 *
 * A later repetition is executed again if the first send failed, if its process could not record the outcome, or if the ledger has deleted
 * the record: after a day, or earlier if it needs the room. The function that {@link IdempotentSends.once} calls must therefore look for
 * the message in the log.
 */
export class IdempotentSends {
  readonly #options: IdempotentSendsOptions;
  readonly #underWay = new Map<string, PendingSend>();
  /** Those of these sends that have failed. Their records are being released: a renewal would restore them. */
  readonly #failed = new Set<string>();
  #renewing = false;

  constructor(options: IdempotentSendsOptions) {
    this.#options = options;
  }

  /**
   * Computes the identity of a send.
   * @param idempotencyKey given by the caller; if absent, the id of the message is the key
   */
  identify(scope: Scope, { message, metadata }: SendMessageRequest, idempotencyKey?: string): SendIdentity {
    // The configuration is excluded, because a client may repeat a message and ask for another form of response.
    const fingerprint = runtime.toBase64Url(digest([message, metadata]));
    const source = idempotencyKey === undefined ? "message.messageId" : "Idempotency-Key";
    const key = idempotencyKey === undefined ? `message ${message.messageId}` : `key ${idempotencyKey}`;
    return { scope, key, fingerprint, source, taskId: taskIdOf(scope, key, fingerprint) };
  }

  /**
   * Executes a send, or waits for the outcome of an earlier one with the same key.
   * @param send dispatches the message; called only if this process has claimed the send
   * @throws A2AError INVALID_PARAMS if the key was used with another message or other metadata; UNAVAILABLE if another process has claimed
   * the send and reaches no outcome within the duration of a lease, or if the store has no room; what `send` or the ledger throws
   */
  async once(identity: SendIdentity, send: () => Promise<SendOutcome>): Promise<SendOutcome> {
    const { scope, key } = identity;
    const id = keyInScope(scope, key);
    const underWay = this.#underWay.get(id);
    if (underWay !== undefined) {
      checkSame(underWay, identity);
      return underWay.outcome;
    }
    const outcome = this.#claimAndSend(identity, send).finally(() => {
      this.#underWay.delete(id);
      this.#failed.delete(id);
    });
    this.#underWay.set(id, { ...identity, outcome });
    this.#renewLater();
    return outcome;
  }

  async #claimAndSend(identity: SendIdentity, send: () => Promise<SendOutcome>): Promise<SendOutcome> {
    const { ledger } = this.#options;
    const { scope, key } = identity;
    const earlier = await this.#claim(identity);
    if (earlier !== undefined) return earlier;
    let outcome: SendOutcome;
    try {
      outcome = await send();
    } catch (error) {
      this.#failed.add(keyInScope(scope, key));
      // If the store fails, another process can claim the send once the lease has expired. The caller gets the error of the send.
      await ledger.releaseSend(scope, key).catch(ignore);
      throw error;
    }
    await ledger.settleSend(scope, key, outcome);
    return outcome;
  }

  /** Claims a send; if another process has it, waits for its outcome. Resolves with undefined once this process has the send. */
  async #claim(identity: SendIdentity): Promise<SendOutcome | undefined> {
    const { ledger, lease, clock } = this.#options;
    const end = clock.now() + lease.duration;
    for (let polls = 0; ; polls += 1) {
      const pause = exponentialDelay(POLL_PAUSES, polls);
      const record = await ledger.claimSend(identity.scope, identity.key, identity.fingerprint, lease);
      if (record === undefined) return undefined;
      checkSame(record, identity);
      if (record.outcome !== undefined) return record.outcome;
      if (clock.now() + pause > end) {
        throw new A2AError("UNAVAILABLE", "The first send of this message is still being processed", {
          retryAfter: PENDING_RETRY_SECONDS,
        });
      }
      await new Promise<void>((resolve) => clock.schedule(pause, resolve));
    }
  }

  /** Renews the leases of the sends under way with one timer, which is not set again once none is left. */
  #renewLater(): void {
    if (this.#renewing) return;
    const { ledger, lease, clock } = this.#options;
    this.#renewing = true;
    clock.schedule(lease.duration / RENEWALS, () => {
      this.#renewing = false;
      if (this.#underWay.size === 0) return;
      this.#renewLater();
      for (const [id, { scope, key, fingerprint }] of this.#underWay) {
        if (this.#failed.has(id)) continue;
        // The next renewal makes up for one that fails.
        ledger.claimSend(scope, key, fingerprint, lease).catch(ignore);
      }
    });
  }
}

/** @throws A2AError INVALID_PARAMS */
function checkSame(earlier: { readonly fingerprint: string }, { fingerprint, source }: SendIdentity): void {
  if (earlier.fingerprint === fingerprint) return;
  throw invalidParams(source, "was used for a request with another message or other metadata");
}

/** The id of the task that a send creates: a UUID of version 8, whose contents the application chooses (RFC 9562). */
function taskIdOf({ agent, tenant, owner }: Scope, key: string, fingerprint: string): string {
  const hex = toHex(digest([agent, tenant, owner, key, fingerprint]));
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function digest(parts: readonly unknown[]): Uint8Array {
  return runtime.sha256(sortedJson(parts));
}

/**
 * Looks for a user's message in the log of a task, by its id and parts.
 * @param after the generation after which the message must be recorded; 0 for anywhere
 * @returns the generation that records the message; undefined if there is no such task or message. If the log was compacted past
 * `after`: the latest generation when searching from 0, else undefined
 * @throws what the store throws
 */
export async function findMessage(
  { store, scope, taskId }: TaskLog,
  { messageId, parts }: Message,
  after = 0,
): Promise<number | undefined> {
  const snapshot = await store.load(scope, taskId);
  const isMeant = (message?: Message) =>
    message?.messageId === messageId && message.role === "ROLE_USER" && sameJson(message.parts, parts);
  if (!snapshot?.task.history?.some(isMeant)) return undefined;
  for await (const entries of readLog(store, scope, taskId, after)) {
    const entry = entries.find(({ event, message }) => isMeant(message ?? event.task?.history?.at(-1)));
    if (entry !== undefined) return entry.generation;
  }
  // The generation is unknown, because the log was compacted or deleted.
  return after === 0 ? snapshot.generation : undefined;
}
