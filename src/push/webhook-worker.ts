import type { Clock } from "../async/clock.js";
import { withDeadline } from "../async/deadlines.js";
import { callHook } from "../async/hook.js";
import { networkOf } from "../net/network-of.js";
import { endsTask, isTerminal } from "../protocol/lifecycle.js";
import type { Logger } from "../protocol/logger.js";
import type { PushCursor, PushRecord, PushStore } from "../stores/push-store.js";
import type { StoredEntry, TaskStore } from "../stores/task-store.js";
import type { DeliveryQueue } from "./delivery-queue.js";
import type { PushSettings } from "./options.js";
import { type Pending, pendingTask, readPending } from "./pending.js";
import { factsOf, webhookOf } from "./request-headers.js";
import { backoff } from "./retry.js";
import type { DeliveryOutcome, Sender } from "./sender.js";

/** What the workers of an outbox share. */
export interface WebhookWorkerDeps {
  readonly store: TaskStore & PushStore;
  readonly sender: Pick<Sender, "send" | "locate" | "bytesOf">;
  readonly queue: DeliveryQueue;
  readonly settings: PushSettings;
  /** Name of this process, which claims configs. */
  readonly node: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A random number: 0 ≤ n < 1. */
  readonly chance: () => number;
}

/** An entry that was sent, and the outcome of the attempt. */
interface SentEntry {
  readonly entry: StoredEntry;
  readonly outcome: DeliveryOutcome;
}

/**
 * Milliseconds for which a webhook that came with a message waits for its task. Usually the task is stored before the worker starts.
 * It is late if the process that creates it lost its lease, or died and the caller sent the message again.
 */
const TASK_WAIT = 600_000;

/**
 * Delivers the events of one task to one webhook: in order, starting at the cursor in the store, and repeating each one until it
 * has arrived or is given up (§3.5.2). The worker is an ordinary reader of the log, so the writer of the log does not depend on it. While there is
 * nothing to send, it waits for the store and needs no timer.
 */
export class WebhookWorker {
  /** The config, as it was when the worker started. */
  readonly record: PushRecord;
  readonly #deps: WebhookWorkerDeps;
  readonly #stop = new AbortController();
  readonly #finish = new AbortController();
  #cursor: PushCursor;
  /** Generation up to which the log was read. It is ahead of the cursor when the last events are filtered out. */
  #at: number;
  /** Whether the store has just confirmed that this process holds the config. Checked again before each attempt that follows a wait. */
  #isOurs = false;
  /** Whether it waits for an event or for the time of the next attempt. */
  #isWaiting = false;
  readonly #onWaiting: (() => void)[] = [];
  #pendingSince: number | undefined;
  /** Set once the store had no task for this config: since when, and how often the worker has waited for it. */
  #noTask: { readonly since: number; attempts: number } | undefined;

  constructor(record: PushRecord, deps: WebhookWorkerDeps) {
    this.record = record;
    this.#deps = deps;
    this.#cursor = record.cursor;
    this.#at = record.cursor.delivered;
  }

  /** Resolves when there is nothing to send at once. */
  idle(): Promise<void> {
    return this.#isWaiting ? Promise.resolve() : new Promise((resolve) => this.#onWaiting.push(resolve));
  }

  /**
   * Runs until the end of the task is delivered, the webhook is given up or deleted, another process holds it, or the worker is told to
   * stop or finish.
   */
  async run(): Promise<void> {
    const { store, logger, settings, chance } = this.#deps;
    const { scope, config } = this.record;
    const release = store.hold?.(scope, config.taskId);
    let failures = 0;
    try {
      for (let isRunning = true; isRunning; ) {
        try {
          isRunning = await this.#round();
          failures = 0;
        } catch (err) {
          logger.error({ err, ...factsOf(this.record) }, "The outbox could not use its store");
          failures += 1;
          isRunning = await this.#pause(backoff(failures, settings, chance()));
        }
      }
    } finally {
      release?.();
    }
  }

  /** When the worker began to deliver its next event, in milliseconds since 1970; undefined while there is none. */
  get pendingSince(): number | undefined {
    return this.#pendingSince;
  }

  /** Whether the worker delivers this revision of a config. A config that was deleted and stored again has a new `place`. */
  isDelivering({ place, revision }: PushRecord): boolean {
    return !this.#stopped && this.record.place === place && this.record.revision === revision;
  }

  /** Stops at once: aborts the request under way and sends nothing more. */
  stop(): void {
    this.#stop.abort();
    this.#finish.abort();
  }

  /** Stops as soon as there is nothing to send, or the worker would have to wait. */
  finish(): void {
    this.#finish.abort();
  }

  get #stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Delivers the pending entries of the log, or waits for new ones. Returns false when the worker ends. */
  async #round(): Promise<boolean> {
    const { store, settings } = this.#deps;
    const pending = await readPending(store, this.record, this.#at);
    if (this.#stopped) return false;
    if (pending === undefined) return this.#sendSnapshot();
    if (pending.length === 0) return this.#idle();
    for (const one of pending) {
      if (settings.events === "status" && one.isArtifact) this.#at = one.generation;
      else if (!(await this.#deliver(one))) return false;
      // The store no longer holds this entry: read again.
      else if (this.#at < one.generation) return true;
    }
    return true;
  }

  async #idle(): Promise<boolean> {
    const { store } = this.#deps;
    const { scope, config } = this.record;
    const snapshot = await store.load(scope, config.taskId);
    if (snapshot && snapshot.generation <= this.#at && isTerminal(snapshot.task.status.state)) {
      await this.#advance({ ...this.#cursor, state: "done" });
      return false;
    }
    if (this.#finish.signal.aborted) return false;
    this.#isOurs = false;
    await this.#waiting(store.wait(scope, config.taskId, this.#at, this.#finish.signal));
    return !this.#stopped;
  }

  /** Sends the current task in place of events that the store no longer holds. */
  async #sendSnapshot(): Promise<boolean> {
    const { store } = this.#deps;
    const { scope, config } = this.record;
    const snapshot = await store.load(scope, config.taskId);
    if (snapshot === undefined) return this.#waitForTask();
    // The task was created after the log was read, so the log is complete now.
    if ((await store.read(scope, config.taskId, this.#at, 1)) !== undefined) return true;
    return this.#deliver(pendingTask(store, this.record, snapshot));
  }

  /** Waits for a task that is not stored yet. Returns false when the wait is over or another process holds the config. */
  async #waitForTask(): Promise<boolean> {
    const { store, clock, settings, chance } = this.#deps;
    const { scope, config } = this.record;
    this.#noTask ??= { since: clock.now(), attempts: 0 };
    this.#noTask.attempts += 1;
    const isOver = this.#at > 0 || clock.now() - this.#noTask.since > TASK_WAIT;
    if (!isOver && !(await this.#pause(backoff(this.#noTask.attempts, settings, chance())))) return false;
    // A process that handles the repeated message stores the config again and then holds it.
    if (!(await this.#advance(isOver ? { ...this.#cursor, state: "done" } : this.#cursor))) return false;
    if (isOver) await store.deleteConfig(scope, config.taskId, config.id);
    return !isOver;
  }

  /** Sends one event until it has arrived or is given up. Returns false when no further event may follow. */
  async #deliver(pending: Pending): Promise<boolean> {
    const { clock } = this.#deps;
    this.#pendingSince ??= clock.now();
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
        this.#pendingSince = undefined;
        return true;
      }
    }
  }

  /** Returns undefined when the worker was stopped or the store no longer holds the entry. */
  async #attempt({ bytes, read }: Pending): Promise<SentEntry | undefined> {
    const { queue, sender } = this.#deps;
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

  /** The cursor after an attempt (§4.3.3). */
  #next({ result, retryAfter = 0 }: DeliveryOutcome, { event, generation }: StoredEntry): PushCursor {
    const { settings, clock, chance } = this.#deps;
    const state = endsTask(event) ? "done" : "open";
    if (result === "delivered") return { delivered: generation, failures: 0, due: 0, state };
    const failures = this.#cursor.failures + 1;
    if (failures >= settings.attempts) return { ...this.#cursor, failures, due: 0, state: "dead" };
    if (result === "refused") return { delivered: generation, failures, due: 0, state };
    const wait = Math.max(backoff(failures, settings, chance()), retryAfter);
    return { ...this.#cursor, failures, due: clock.now() + wait };
  }

  /** Logs an event that is given up, and passes it to `onDeadLetter`. */
  async #report(
    outcome: DeliveryOutcome,
    next: PushCursor,
    { event, generation }: StoredEntry,
  ): Promise<void> {
    const { settings, logger, clock } = this.#deps;
    const givenUp = next.state === "dead";
    if (outcome.result === "delivered" || !(givenUp || next.delivered === generation)) return;
    const { failures } = next;
    const facts = { ...factsOf(this.record), generation, failures };
    logger.warn({ ...facts, reason: outcome.reason }, "A notification was given up");
    const { reason } = outcome;
    const letter = { ...webhookOf(this.record), event, generation, failures, givenUp, reason };
    const { signal } = this.#stop;
    // The next event waits for the hook, so the hook gets the time of one delivery.
    const call = () =>
      withDeadline({ milliseconds: settings.timeout, signal, clock }, async () =>
        settings.onDeadLetter?.(letter),
      );
    await callHook({ call }, (err) => {
      if (!signal.aborted) logger.error({ err, hook: "push.onDeadLetter", ...facts }, "A hook failed");
    });
  }

  async #advance(cursor: PushCursor): Promise<boolean> {
    const { store, node } = this.#deps;
    this.#isOurs = await store.advanceConfig(this.record, node, cursor);
    if (this.#isOurs) this.#cursor = cursor;
    return this.#isOurs && !this.#stopped;
  }

  /** Waits, and first resolves the promises of {@link idle}. */
  async #waiting(what: Promise<unknown>): Promise<void> {
    this.#isWaiting = true;
    for (const resolve of this.#onWaiting.splice(0)) resolve();
    await what;
    this.#isWaiting = false;
  }

  /** Waits. Returns false when the worker is told to stop or finish in the meantime. */
  async #pause(milliseconds: number): Promise<boolean> {
    const { signal } = this.#finish;
    this.#isOurs = false;
    if (!signal.aborted) {
      await this.#waiting(
        new Promise<void>((resolve) => {
          const wake = () => {
            cancel();
            signal.removeEventListener("abort", wake);
            resolve();
          };
          const cancel = this.#deps.clock.schedule(milliseconds, wake);
          signal.addEventListener("abort", wake, { once: true });
        }),
      );
    }
    return !signal.aborted;
  }
}
