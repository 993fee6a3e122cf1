import type { Clock } from "../async/clock.js";
import { callHook } from "../async/hook.js";
import { networkOf } from "../net/network-of.js";
import { isTerminal } from "../protocol/lifecycle.js";
import type { Logger } from "../protocol/logger.js";
import type { StreamResponse } from "../protocol/model.js";
import type { PushCursor, PushRecord, PushStore } from "../stores/push-store.js";
import type { StoredEntry, TaskStore } from "../stores/task-store.js";
import { withDeadline } from "./deadline.js";
import type { DeliveryQueue } from "./delivery-queue.js";
import type { PushSettings } from "./options.js";
import { type Pending, pendingTask, readPending } from "./pending.js";
import { factsOf, webhookOf } from "./request-headers.js";
import { backoff } from "./retry.js";
import type { DeliveryOutcome, Sender } from "./sender.js";

/** What all couriers of an outbox share. */
export interface WebhookWorkerDeps {
  readonly store: TaskStore & PushStore;
  readonly sender: Pick<Sender, "send" | "locate" | "bytesOf">;
  readonly queue: DeliveryQueue;
  readonly settings: PushSettings;
  /** Name under which this process holds configs. */
  readonly node: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** From 0 up to, not including, 1. */
  readonly chance: () => number;
}

/** An entry that was sent, and what came of it. */
interface Sent {
  readonly entry: StoredEntry;
  readonly outcome: DeliveryOutcome;
}

/**
 * Milliseconds for which a webhook that came with a message waits for its task. Usually the task is there before the webhook is
 * looked at; not so when the process that makes it did not renew its lease, or died and its caller sends the message again.
 */
const MAKING = 600_000;

/**
 * Carries the events of one task to one webhook: in order, each until it has arrived, from where the cursor stands in the
 * store (PUSH-14). It is a reader of the log like any other: whoever writes it does not know of it, and while nothing happens it
 * waits for the store, without a timer.
 */
export class WebhookWorker {
  readonly record: PushRecord;
  readonly #around: WebhookWorkerDeps;
  readonly #stop = new AbortController();
  readonly #rest = new AbortController();
  #cursor: PushCursor;
  /** How far the log was read: beyond the cursor when the last events were not wanted. */
  #at: number;
  /** The store has just said that the config is there and ours. Asked again before an attempt that comes after a wait. */
  #isOurs = false;
  #behindSince: number | undefined;
  /** Since when the task is waited for, and how often it was looked for. */
  #missing: { readonly since: number; looks: number } | undefined;

  constructor(record: PushRecord, around: WebhookWorkerDeps) {
    this.record = record;
    this.#around = around;
    this.#cursor = record.cursor;
    this.#at = record.cursor.delivered;
  }

  /** Works until the task's end was delivered, the webhook is given up or gone, or the courier is told to end. */
  async run(): Promise<void> {
    const { store, logger, settings, chance } = this.#around;
    const { scope, config } = this.record;
    const release = store.hold?.(scope, config.taskId);
    let troubles = 0;
    try {
      for (let goesOn = true; goesOn; ) {
        try {
          goesOn = await this.#round();
          troubles = 0;
        } catch (err) {
          logger.error({ err, ...factsOf(this.record) }, "The outbox could not use its store");
          troubles += 1;
          goesOn = await this.#pause(backoff(troubles, settings, chance()));
        }
      }
    } finally {
      release?.();
    }
  }

  /** Since when an event waits to be delivered, in milliseconds since 1970; undefined while none does. */
  get behindSince(): number | undefined {
    return this.#behindSince;
  }

  /** Whether it delivers that very state of a config. One that was removed and stored again has another place. */
  isAtWorkOn({ place, revision }: PushRecord): boolean {
    return !this.#stopped && this.record.place === place && this.record.revision === revision;
  }

  /** Ends at once: what is under way is aborted, what waits is not sent. */
  stop(): void {
    this.#stop.abort();
    this.#rest.abort();
  }

  /** Ends as soon as there is nothing to send at the moment, or something to wait for. */
  finish(): void {
    this.#rest.abort();
  }

  get #stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Delivers what the log holds, or waits for more. False when there is nothing more to do. */
  async #round(): Promise<boolean> {
    const { store, settings } = this.#around;
    const pending = await readPending(store, this.record, this.#at);
    if (this.#stopped) return false;
    if (pending === undefined) return this.#bridge();
    if (pending.length === 0) return this.#idle();
    for (const one of pending) {
      if (settings.events === "status" && one.isArtifact) this.#at = one.generation;
      else if (!(await this.#deliver(one))) return false;
      // It is not held any more.
      else if (this.#at < one.generation) return true;
    }
    return true;
  }

  async #idle(): Promise<boolean> {
    const { store } = this.#around;
    const { scope, config } = this.record;
    const snapshot = await store.load(scope, config.taskId);
    if (snapshot && snapshot.generation <= this.#at && isTerminal(snapshot.task.status.state)) {
      await this.#advance({ ...this.#cursor, state: "done" });
      return false;
    }
    if (this.#rest.signal.aborted) return false;
    this.#isOurs = false;
    await store.wait(scope, config.taskId, this.#at, this.#rest.signal);
    return !this.#stopped;
  }

  /** The events behind the cursor are no longer held: the task as it stands now takes their place. */
  async #bridge(): Promise<boolean> {
    const { store } = this.#around;
    const { scope, config } = this.record;
    const snapshot = await store.load(scope, config.taskId);
    if (snapshot === undefined) return this.#await();
    // Made since the log was asked for: then that holds all of it.
    if ((await store.read(scope, config.taskId, this.#at, 1)) !== undefined) return true;
    return this.#deliver(pendingTask(store, this.record, snapshot));
  }

  /** There is no task: not yet, when nothing of it has been seen. False when it was long enough, or the config is not ours. */
  async #await(): Promise<boolean> {
    const { store, clock, settings, chance } = this.#around;
    const { scope, config } = this.record;
    this.#missing ??= { since: clock.now(), looks: 0 };
    this.#missing.looks += 1;
    const isOver = this.#at > 0 || clock.now() - this.#missing.since > MAKING;
    if (!isOver && !(await this.#pause(backoff(this.#missing.looks, settings, chance())))) return false;
    // Whoever sends the message again stores the config again, and has it then.
    if (!(await this.#advance(isOver ? { ...this.#cursor, state: "done" } : this.#cursor))) return false;
    if (isOver) await store.deleteConfig(scope, config.taskId, config.id);
    return !isOver;
  }

  /** Tries until the event has arrived or is given up. False when nothing may follow it. */
  async #deliver(pending: Pending): Promise<boolean> {
    const { clock } = this.#around;
    this.#behindSince ??= clock.now();
    for (;;) {
      const wait = this.#cursor.due - clock.now();
      if (wait > 0 && !(await this.#pause(wait))) return false;
      if (!this.#isOurs && !(await this.#advance(this.#cursor))) return false;
      const sent = await this.#attempt(pending);
      if (this.#stopped) return false;
      if (sent === undefined) return true;
      const { outcome, entry } = sent;
      const next = this.#next(outcome, entry);
      await this.#report(outcome, next, entry);
      if (this.#stopped || !(await this.#advance(next))) return false;
      if (next.state !== "open") return false;
      if (next.delivered === entry.generation) {
        this.#at = entry.generation;
        this.#behindSince = undefined;
        return true;
      }
    }
  }

  /** Undefined when it was told to stop, or when the entry is gone. */
  async #attempt({ bytes, read }: Pending): Promise<Sent | undefined> {
    const { queue, sender } = this.#around;
    const { scope, config } = this.record;
    const { signal } = this.#stop;
    const addresses = await sender.locate(this.record, signal);
    const { origin, hostname } = new URL(config.url);
    const request = {
      owner: scope.owner,
      origin,
      address: addresses?.[0] === undefined ? hostname : networkOf(addresses[0]),
      bytes: await sender.bytesOf(this.record, bytes),
      isFailing: this.#cursor.failures > 0,
    };
    return queue.run(request, signal, async (signal) => {
      const entry = await read();
      return entry && { entry, outcome: await sender.send(this.record, entry, { signal, addresses }) };
    });
  }

  /** Where the cursor goes after an attempt (PUSH-11, PUSH-12). */
  #next({ verdict, retryAfter = 0 }: DeliveryOutcome, { event, generation }: StoredEntry): PushCursor {
    const { settings, clock, chance } = this.#around;
    const state = ends(event) ? "done" : "open";
    if (verdict === "delivered") return { delivered: generation, failures: 0, due: 0, state };
    const failures = this.#cursor.failures + 1;
    if (failures >= settings.attempts) return { ...this.#cursor, failures, due: 0, state: "dead" };
    if (verdict === "refused") return { delivered: generation, failures, due: 0, state };
    const wait = Math.max(backoff(failures, settings, chance()), retryAfter);
    return { ...this.#cursor, failures, due: clock.now() + wait };
  }

  /** Tells of an event that is given up. */
  async #report(
    outcome: DeliveryOutcome,
    next: PushCursor,
    { event, generation }: StoredEntry,
  ): Promise<void> {
    const { settings, logger, clock } = this.#around;
    const givenUp = next.state === "dead";
    if (outcome.verdict === "delivered" || !(givenUp || next.delivered === generation)) return;
    const { failures } = next;
    const facts = { ...factsOf(this.record), generation, failures };
    logger.warn({ ...facts, reason: outcome.reason }, "A notification was given up");
    const { reason } = outcome;
    const letter = { ...webhookOf(this.record), event, generation, failures, givenUp, reason };
    const { signal } = this.#stop;
    // The next event waits for the hook, so the hook has the time of a delivery.
    const call = () =>
      withDeadline({ milliseconds: settings.timeout, signal, clock }, async () =>
        settings.onDeadLetter?.(letter),
      );
    await callHook({ call }, (err) => {
      if (!signal.aborted) logger.error({ err, hook: "push.onDeadLetter", ...facts }, "A hook failed");
    });
  }

  async #advance(cursor: PushCursor): Promise<boolean> {
    const { store, node } = this.#around;
    this.#isOurs = await store.advanceConfig(this.record, node, cursor);
    if (this.#isOurs) this.#cursor = cursor;
    return this.#isOurs && !this.#stopped;
  }

  /** Waits. False when told to end meanwhile. */
  async #pause(milliseconds: number): Promise<boolean> {
    const { signal } = this.#rest;
    this.#isOurs = false;
    if (!signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          cancel();
          signal.removeEventListener("abort", wake);
          resolve();
        };
        const cancel = this.#around.clock.schedule(milliseconds, wake);
        signal.addEventListener("abort", wake, { once: true });
      });
    }
    return !signal.aborted;
  }
}

function ends({ task, statusUpdate }: StreamResponse): boolean {
  const status = (task ?? statusUpdate)?.status;
  return status !== undefined && isTerminal(status.state);
}
