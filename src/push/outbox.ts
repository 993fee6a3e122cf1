import type { Lease } from "../stores/lease-store.js";
import type { PushRecord } from "../stores/push-store.js";
import { keyInScope, type Scope } from "../stores/task-store.js";
import { WebhookWorker, type WebhookWorkerDeps } from "./webhook-worker.js";

/** Maximum number of configs that one call claims. */
const CLAIM_LIMIT = 100;

/**
 * Delivers the events of one agent for the push configs that this process holds, with one worker per config. The workers read the logs of
 * tasks from the store, so executors do not wait for deliveries (§4.3.3). The outbox also takes over unfinished deliveries that no other
 * process holds any longer.
 */
export class Outbox {
  /** The name of this process, and the duration of its claims. */
  readonly lease: Lease;
  readonly #agent: string;
  readonly #deps: WebhookWorkerDeps;
  readonly #workers = new Map<string, { readonly worker: WebhookWorker; readonly ended: Promise<void> }>();
  /** One function for all workers, because there are many of them. */
  readonly #ended = (worker: WebhookWorker): void => {
    const { scope, config } = worker.record;
    const key = keyOf(scope, config.taskId, config.id);
    if (this.#workers.get(key)?.worker === worker) this.#workers.delete(key);
  };
  #cancelTick: (() => void) | undefined;
  /** Resolves when no claim is under way. */
  #ticking: Promise<void> = Promise.resolve();
  #closed = false;
  /** Whether this process may hold configs for which it has no worker, because a response of the store was lost or arrived late. */
  #mayHoldUnknown = false;

  /** @param lease the name of this process, and the time after which its claims expire unless it renews them */
  constructor(agent: string, lease: Lease, deps: Omit<WebhookWorkerDeps, "node">) {
    this.lease = lease;
    this.#agent = agent;
    this.#deps = { ...deps, node: lease.node };
  }

  /** Number of configs with a worker. */
  get size(): number {
    return this.#workers.size;
  }

  /**
   * The deliveries that this process has begun and not finished: how many webhooks have one (`depth`), the longest time in milliseconds
   * since one of them began (`age`), and the bytes of the notifications that are being sent, or that wait only for the limit on concurrent
   * requests (`bytes`); those of up to 16 KiB do not count.
   */
  backlog(): { readonly depth: number; readonly age: number; readonly bytes: number } {
    const { clock, queue } = this.#deps;
    const now = clock.now();
    const waiting = [...this.#workers.values()].flatMap(({ worker }) => worker.pendingSince ?? []);
    const age = waiting.reduce((longest, since) => Math.max(longest, now - since), 0);
    return { depth: waiting.length, age, bytes: queue.bytes };
  }

  /**
   * Renews the claims of this process, and claims the open configs that no process holds or whose claim has expired: now, and again each
   * time a third of the lease's duration has passed, even after a failure of the store, which is logged.
   */
  start(): void {
    this.#begin();
  }

  /**
   * Renews and claims configs now, for platforms that may stop timers. Then waits like {@link idle}. A failure of the store is logged. Has
   * no effect after {@link close}.
   */
  async tick(): Promise<void> {
    await this.#ticking;
    this.#cancelTick?.();
    if (this.#closed) return;
    this.#begin();
    await this.idle();
  }

  /**
   * Waits for the claims under way and for all workers that exist after it. Resolves once each of them has ended, or waits for the next
   * event or for the time of its next attempt.
   */
  async idle(): Promise<void> {
    await this.#ticking;
    await Promise.all(
      [...this.#workers.values()].map(({ worker, ended }) => Promise.race([worker.idle(), ended])),
    );
  }

  /** Starts a worker for a config that this process holds, in place of a worker of another revision. Has no effect after {@link close}. */
  follow(record: PushRecord): void {
    if (this.#closed) return;
    const key = keyOf(record.scope, record.config.taskId, record.config.id);
    const known = this.#workers.get(key)?.worker;
    if (known?.isDelivering(record)) return;
    known?.stop();
    const worker = new WebhookWorker(record, this.#deps, this.#ended);
    this.#workers.set(key, { worker, ended: worker.run() });
  }

  /** Call it when a call that claims configs has failed: the store may have assigned the configs to this process nevertheless. */
  claimFailed(): void {
    this.#mayHoldUnknown = true;
  }

  /** Stops the deliveries of this process for a config immediately, and aborts the request in flight (§3.1.10). */
  stop(scope: Scope, taskId: string, configId: string): void {
    this.#workers.get(keyOf(scope, taskId, configId))?.worker.stop();
  }

  /**
   * Sends what can be sent without a pause, and releases the rest to other processes. If the store fails to release it, this is logged, and
   * other processes take over when the claims expire.
   * @param milliseconds upper bound on the time to send, besides the option `drain`
   */
  async close(milliseconds: number): Promise<void> {
    const { store, settings, clock, logger } = this.#deps;
    this.#closed = true;
    this.#cancelTick?.();
    const workers = [...this.#workers.values()];
    for (const { worker } of workers) worker.finish();
    const cancel = clock.schedule(Math.min(settings.drain, milliseconds), () => {
      for (const { worker } of workers) worker.stop();
    });
    await Promise.all([this.#ticking, ...workers.map(({ ended }) => ended)]);
    cancel();
    try {
      await store.releaseConfigs(this.#agent, this.lease.node);
    } catch (err) {
      logger.error({ err }, "The outbox could not release its configs");
    }
  }

  /**
   * Starts a worker for a claimed config. If the config already has a worker, this worker has usually lost its claim without noticing yet,
   * so it is replaced.
   */
  #takeOver(record: PushRecord): void {
    const key = keyOf(record.scope, record.config.taskId, record.config.id);
    const known = this.#workers.get(key)?.worker;
    // If the config was stored again before the response to the claim arrived, the record is out of date. The next tick corrects this.
    if (known?.isDelivering(record) === false) this.#mayHoldUnknown = true;
    known?.stop();
    this.#workers.delete(key);
    this.follow(record);
  }

  /** Begins to renew and claim configs. Calls of `tick` may overlap, so another claim may be under way. */
  #begin(): void {
    const tick = this.#tick();
    this.#ticking = this.#ticking.then(() => tick);
  }

  async #tick(): Promise<void> {
    const { store, clock, logger } = this.#deps;
    try {
      const mayHoldUnknown = this.#mayHoldUnknown;
      // A call that fails after this line is handled by the next tick.
      this.#mayHoldUnknown = false;
      // A config without a worker must not be renewed, so all are released, and the loop below claims those that are free.
      if (mayHoldUnknown) await store.releaseConfigs(this.#agent, this.lease.node);
      else await store.renewConfigs(this.#agent, this.lease);
      for (let found = CLAIM_LIMIT; found === CLAIM_LIMIT && !this.#closed; ) {
        const records = await store.claimConfigs(this.#agent, this.lease, CLAIM_LIMIT);
        for (const record of records) this.#takeOver(record);
        found = records.length;
      }
    } catch (err) {
      this.#mayHoldUnknown = true;
      logger.error({ err }, "The outbox could not use its store");
    }
    if (this.#closed) return;
    // The timer of an overlapping tick may be set.
    this.#cancelTick?.();
    this.#cancelTick = clock.schedule(this.lease.duration / 3, () => this.#begin());
  }
}

function keyOf(scope: Scope, taskId: string, configId: string): string {
  return keyInScope(scope, JSON.stringify([taskId, configId]));
}
