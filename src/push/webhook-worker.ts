import type { Clock } from "../async/clock.js";
import { isTerminal } from "../protocol/lifecycle.js";
import type { Logger } from "../protocol/logger.js";
import type { PushCursor, PushRecord, PushStore } from "../stores/push-store.js";
import type { TaskStore } from "../stores/task-store.js";
import type { DeliveryQueue, DeliveryTurn } from "./delivery-queue.js";
import { type LocatedRequest, locateRequest } from "./locate-request.js";
import { nextCursor, reportGivenUp } from "./next-cursor.js";
import type { PushSettings } from "./options.js";
import { type Pending, pendingTask, readPending } from "./pending.js";
import { factsOf } from "./request-headers.js";
import { backoff } from "./retry.js";
import type { Sender } from "./sender.js";

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
  /** Returns a random number, 0 ≤ n < 1. */
  readonly chance: () => number;
}

/** A request that may be sent now. */
interface Admitted extends LocatedRequest {
  readonly turn: DeliveryTurn;
}

/**
 * When the next round begins: immediately, after a pause of some milliseconds, when the task has another event, or when a request has its
 * turn. `"end"`: no further round.
 */
type Next = "again" | "end" | "event" | { readonly pause: number } | LocatedRequest;

/** Milliseconds for which a webhook that came with a message waits for its task. Usually the task is stored before the worker starts. */
const TASK_WAIT = 600_000;

/**
 * Delivers the events of one task to one webhook: in order (§3.5.2), starting at the cursor in the store, and repeating each one until it
 * has arrived or is given up (§4.3.3). The worker is an ordinary reader of the log, so the writer of the log does not depend on it. While
 * there is nothing to send, it waits for the next event and needs no timer. Thousands of workers may wait at the same time, so a worker
 * that waits keeps no events, and reads the log again afterwards.
 */
export class WebhookWorker {
  /** The config, as it was when the worker started. */
  readonly record: PushRecord;
  readonly #deps: WebhookWorkerDeps;
  readonly #ended: (worker: WebhookWorker) => void;
  /** Aborts what is under way. Created on first use and dropped before each wait, because signals are large. */
  #controller: AbortController | undefined;
  /** Ends the wait for an event, for the time of the next attempt, or for a turn. */
  #wake: (() => void) | undefined;
  #isStopped = false;
  #isFinishing = false;
  #cursor: PushCursor;
  /** Generation of the last event that was delivered, given up or filtered out. Events that are filtered out do not move the cursor. */
  #at: number;
  /** Whether the store has confirmed, since the last pause or wait for an event, that this process holds the config. */
  #isOurs = false;
  /** Whether it waits for an event or for the time of the next attempt. */
  #isIdle = false;
  readonly #onIdle: (() => void)[] = [];
  #pendingSince: number | undefined;
  /** Set when the store first has no task for this config: the time of that, and the number of rounds that found no task. */
  #noTask: { readonly since: number; rounds: number } | undefined;

  /** @param ended called when {@link run} ends */
  constructor(record: PushRecord, deps: WebhookWorkerDeps, ended: (worker: WebhookWorker) => void) {
    this.record = record;
    this.#deps = deps;
    this.#ended = ended;
    this.#cursor = record.cursor;
    this.#at = record.cursor.delivered;
  }

  /** Resolves when the worker waits for the next event or for the time of its next attempt; never if {@link run} ends before that. */
  idle(): Promise<void> {
    return this.#isIdle ? Promise.resolve() : new Promise((resolve) => this.#onIdle.push(resolve));
  }

  /**
   * Runs until the end of the task is delivered or given up, the webhook is given up, its config is deleted or replaced, its task is
   * deleted or not created in time, another process holds the config, or the worker is told to stop or finish. Never rejects: a failure of
   * the store is logged, and the worker pauses and tries again, unless it is told to finish.
   */
  async run(): Promise<void> {
    const { store, logger, settings, chance } = this.#deps;
    const { scope, config } = this.record;
    let release: (() => void) | undefined;
    let failures = 0;
    try {
      for (let next: Next = "again"; next !== "end"; ) {
        let admitted: Admitted | undefined;
        try {
          admitted = await this.#wait(next);
          release ??= store.hold?.(scope, config.taskId);
          next = await this.#round(admitted);
          failures = 0;
        } catch (err) {
          logger.error({ err, ...factsOf(this.record) }, "The outbox could not use its store");
          failures += 1;
          next = this.#pauseFor(backoff(failures, settings, chance()));
        } finally {
          admitted?.turn.leave();
        }
      }
    } finally {
      release?.();
      this.#ended(this);
    }
  }

  /** When the worker began to deliver the current event, in milliseconds since 1970; undefined when it delivers none. */
  get pendingSince(): number | undefined {
    return this.#pendingSince;
  }

  /** Whether the worker delivers this revision of a config. A config that was deleted and stored again has a new `place`. */
  isDelivering({ place, revision }: PushRecord): boolean {
    return !this.#isStopped && this.record.place === place && this.record.revision === revision;
  }

  /** Stops at once: aborts the request under way and sends nothing more. */
  stop(): void {
    this.#isStopped = true;
    this.#isFinishing = true;
    this.#controller?.abort();
    this.#wake?.();
  }

  /** Stops as soon as there is nothing to send, or the worker would have to pause. */
  finish(): void {
    this.#isFinishing = true;
    if (this.#isIdle) this.#wake?.();
  }

  /** Aborts when the worker is told to stop. Valid until the next wait. */
  get #signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isStopped) this.#controller.abort();
    return this.#controller.signal;
  }

  /**
   * Delivers the next pending entries of the log, until it has to wait for an event, a time or a turn.
   * @param admitted the turn to send the first of them
   */
  async #round(admitted: Admitted | undefined): Promise<Next> {
    const { store, settings, clock } = this.#deps;
    this.#isIdle = false;
    this.#wake = undefined;
    if (this.#isStopped) return "end";
    const wait = this.#cursor.due - clock.now();
    if (wait > 0) return this.#pauseFor(wait);
    const pending = await readPending(store, this.record, this.#at);
    if (this.#isStopped) return "end";
    if (pending === undefined) return this.#sendSnapshot(admitted);
    if (pending.length === 0) return this.#nothingPending();
    let first = admitted;
    for (const one of pending) {
      if (settings.events === "status" && one.isArtifact) this.#at = one.generation;
      else {
        const next = await this.#deliver(one, first);
        if (next !== undefined) return next;
        first = undefined;
      }
    }
    return "again";
  }

  async #nothingPending(): Promise<Next> {
    const { store } = this.#deps;
    const { scope, config } = this.record;
    const snapshot = await store.load(scope, config.taskId);
    if (snapshot && snapshot.generation <= this.#at && isTerminal(snapshot.task.status.state)) {
      await this.#advance({ ...this.#cursor, state: "done" });
      return "end";
    }
    return this.#isFinishing ? "end" : "event";
  }

  /** Sends the current task in place of events that the store no longer holds. */
  async #sendSnapshot(admitted: Admitted | undefined): Promise<Next> {
    const { store } = this.#deps;
    const { scope, config } = this.record;
    const snapshot = await store.load(scope, config.taskId);
    if (snapshot === undefined) return this.#waitForTask();
    // The task was created after the log was read, so the log is complete now.
    if ((await store.read(scope, config.taskId, this.#at, 1)) !== undefined) return "again";
    return (await this.#deliver(pendingTask(store, this.record, snapshot), admitted)) ?? "again";
  }

  /**
   * Pauses before the next round looks for the task again. If the task was not stored within {@link TASK_WAIT}, or was deleted, deletes the
   * config and ends. Also ends when the config was deleted or another process holds it.
   */
  async #waitForTask(): Promise<Next> {
    const { store, clock, settings, chance, logger } = this.#deps;
    const { scope, config } = this.record;
    this.#noTask ??= { since: clock.now(), rounds: 0 };
    this.#noTask.rounds += 1;
    const isOver = this.#at > 0 || clock.now() - this.#noTask.since > TASK_WAIT;
    // If the client has sent its message again, the process that handles it holds the config now, and this worker ends.
    if (!(await this.#advance(this.#cursor))) {
      if (this.#pendingSince !== undefined)
        logger.warn(factsOf(this.record), "A task was deleted before its webhook had received its events");
      return "end";
    }
    if (!isOver) return this.#pauseFor(backoff(this.#noTask.rounds, settings, chance()));
    await store.deleteConfig(scope, config.taskId, config.id);
    return "end";
  }

  /**
   * Makes one attempt to send an event, unless its request has to wait for a turn.
   * @returns undefined when the event has arrived, and the next one may follow
   */
  async #deliver(pending: Pending, admitted: Admitted | undefined): Promise<Next | undefined> {
    const { clock, queue, sender } = this.#deps;
    this.#pendingSince ??= clock.now();
    if (!this.#isOurs && !(await this.#advance(this.#cursor))) return "end";
    const facts = { isFailing: this.#cursor.failures > 0, signal: this.#signal, sender };
    const { request, addresses } = admitted ?? (await locateRequest(this.record, pending, facts));
    if (this.#isStopped) return "end";
    const turn = admitted?.turn ?? queue.tryTurn(request);
    if (turn === undefined) return { request, addresses };
    const sent = await turn.send(this.#signal, async (signal) => {
      const entry = await pending.read();
      return entry && { entry, outcome: await sender.send(this.record, entry, { signal, addresses }) };
    });
    if (this.#isStopped) return "end";
    // The request was aborted for being slow and needs another turn, or the store no longer holds the entry.
    if (sent === undefined) return "again";
    const { entry } = sent;
    const next = nextCursor(this.#cursor, sent, this.#deps);
    await reportGivenUp(this.record, { ...sent, next }, { ...this.#deps, signal: this.#signal });
    if (this.#isStopped || !(await this.#advance(next)) || next.state !== "open") return "end";
    if (next.delivered !== entry.generation) return "again";
    this.#at = entry.generation;
    this.#pendingSince = undefined;
    return next.due > 0 ? "again" : undefined;
  }

  async #advance(cursor: PushCursor): Promise<boolean> {
    const { store, node } = this.#deps;
    this.#isOurs = await store.advanceConfig(this.record, node, cursor);
    if (this.#isOurs) this.#cursor = cursor;
    return this.#isOurs && !this.#isStopped;
  }

  #pauseFor(milliseconds: number): Next {
    return this.#isFinishing ? "end" : { pause: milliseconds };
  }

  /** Waits for what the last round has asked for, or until the worker is told to stop. {@link finish} does not end the wait for a turn. */
  #wait(next: Next): Promise<Admitted | undefined> | undefined {
    if (next === "again" || this.#isStopped) return undefined;
    this.#controller = undefined;
    if (typeof next === "object" && "request" in next) return this.#turnOf(next);
    // Another process may take the config over in the meantime.
    this.#isOurs = false;
    if (this.#isFinishing) return undefined;
    this.#isIdle = true;
    for (const resolve of this.#onIdle.splice(0)) resolve();
    return typeof next === "object" ? this.#pause(next.pause) : this.#event();
  }

  #turnOf(waiting: LocatedRequest): Promise<Admitted | undefined> {
    return new Promise((resolve) => {
      const giveUp = this.#deps.queue.enqueue(waiting.request, (turn) => resolve({ ...waiting, turn }));
      this.#wake = () => {
        giveUp();
        resolve(undefined);
      };
    });
  }

  #pause(milliseconds: number): Promise<undefined> {
    return new Promise((resolve) => {
      const wake = () => {
        cancel();
        resolve(undefined);
      };
      const cancel = this.#deps.clock.schedule(milliseconds, wake);
      this.#wake = wake;
    });
  }

  async #event(): Promise<undefined> {
    const controller = new AbortController();
    this.#wake = () => controller.abort();
    await this.#deps.store.wait(this.record.scope, this.record.config.taskId, this.#at, controller.signal);
  }
}
