import type { Lease } from "../stores/lease-store.js";
import type { PushRecord } from "../stores/push-store.js";
import type { Scope } from "../stores/task-store.js";
import { WebhookWorker, type WebhookWorkerDeps } from "./webhook-worker.js";

/** Configs taken over at a time. */
const CLAIM = 100;

/**
 * Delivers the push configs of one agent that this process holds, one courier each. Tasks never wait for it: it reads their logs
 * from the store (PUSH-13). What a process that died had not sent is found there and taken over.
 */
export class Outbox {
  readonly lease: Lease;
  readonly #agent: string;
  readonly #around: WebhookWorkerDeps;
  readonly #couriers = new Map<string, { readonly courier: WebhookWorker; readonly ended: Promise<void> }>();
  #cancelTick: (() => void) | undefined;
  #ticking: Promise<void> = Promise.resolve();
  #closed = false;
  /** The store may have given configs to this process that it does not know of, because an answer was lost. */
  #isDoubtful = false;

  /** @param lease names this process, and how long it keeps configs from the others when it stops renewing */
  constructor(agent: string, lease: Lease, around: Omit<WebhookWorkerDeps, "node">) {
    this.lease = lease;
    this.#agent = agent;
    this.#around = { ...around, node: lease.node };
  }

  /** How many configs are being worked on. */
  get size(): number {
    return this.#couriers.size;
  }

  /**
   * How many webhooks have something to be delivered, for how many milliseconds the longest of them, and how many bytes are being
   * sent, small events left out.
   */
  backlog(): { readonly depth: number; readonly age: number; readonly bytes: number } {
    const { clock, queue } = this.#around;
    const now = clock.now();
    const behind = [...this.#couriers.values()].flatMap(({ courier }) => courier.behindSince ?? []);
    const age = Math.max(0, ...behind.map((since) => now - since));
    return { depth: behind.length, age, bytes: queue.bytes };
  }

  /** Takes up what was left undone, here or by processes that have died, now and from time to time. */
  start(): void {
    this.#ticking = this.#tick();
  }

  /** Works on a config that this process holds, in place of an earlier state of it. */
  follow(record: PushRecord): void {
    if (this.#closed) return;
    const key = keyOf(record.scope, record.config.taskId, record.config.id);
    const known = this.#couriers.get(key)?.courier;
    if (known?.isAtWorkOn(record)) return;
    known?.stop();
    const courier = new WebhookWorker(record, this.#around);
    const ended = courier.run().finally(() => {
      if (this.#couriers.get(key)?.courier === courier) this.#couriers.delete(key);
    });
    this.#couriers.set(key, { courier, ended });
  }

  /** A call that gives configs to this process has failed, which does not mean that it had no effect. */
  doubt(): void {
    this.#isDoubtful = true;
  }

  /** Sends no more for a config, from this moment on (OP-PUSH-18). */
  stop(scope: Scope, taskId: string, configId: string): void {
    this.#couriers.get(keyOf(scope, taskId, configId))?.courier.stop();
  }

  /**
   * Sends what can be sent at once, and leaves the rest to the process that comes next.
   * @param milliseconds after which it stops sending, at most; the option `drain` is another bound
   */
  async close(milliseconds: number): Promise<void> {
    const { store, settings, clock, logger } = this.#around;
    this.#closed = true;
    this.#cancelTick?.();
    const couriers = [...this.#couriers.values()];
    for (const { courier } of couriers) courier.finish();
    const cancel = clock.schedule(Math.min(settings.drain, milliseconds), () => {
      for (const { courier } of couriers) courier.stop();
    });
    await Promise.all([this.#ticking, ...couriers.map(({ ended }) => ended)]);
    cancel();
    try {
      await store.releaseConfigs(this.#agent, this.lease.node);
    } catch (err) {
      logger.error({ err }, "The outbox could not release its configs");
    }
  }

  /** Works on a config that was claimed. Whoever was at it here has lost it before, and may be about to find that out. */
  #takeOver(record: PushRecord): void {
    const { scope, config } = record;
    this.stop(scope, config.taskId, config.id);
    this.#couriers.delete(keyOf(scope, config.taskId, config.id));
    this.follow(record);
  }

  async #tick(): Promise<void> {
    const { store, clock, logger } = this.#around;
    try {
      const isDoubtful = this.#isDoubtful;
      // A call that fails from now on is dealt with at the next time.
      this.#isDoubtful = false;
      // Configs without a worker must not be renewed for ever; the others are claimed again at once.
      if (isDoubtful) await store.releaseConfigs(this.#agent, this.lease.node);
      else await store.renewConfigs(this.#agent, this.lease);
      for (let found = CLAIM; found === CLAIM && !this.#closed; ) {
        const records = await store.claimConfigs(this.#agent, this.lease, CLAIM);
        for (const record of records) this.#takeOver(record);
        found = records.length;
      }
    } catch (err) {
      this.#isDoubtful = true;
      logger.error({ err }, "The outbox could not use its store");
    }
    if (this.#closed) return;
    this.#cancelTick = clock.schedule(this.lease.duration / 3, () => {
      this.#ticking = this.#tick();
    });
  }
}

function keyOf({ tenant, owner }: Scope, taskId: string, configId: string): string {
  return JSON.stringify([tenant, owner, taskId, configId]);
}
