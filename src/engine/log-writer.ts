import { nextTick } from "node:process";
import type { LogEntry } from "../stores/task-store.js";
import type { TaskLog } from "./task-log.js";

/** Who wants to know how the writing goes. */
export interface LogListener {
  /** An append failed; called once. */
  failed(): void;
  /** Entries are durable now; `first` is the generation of the first one. Must not throw. */
  readonly stored?: ((entries: readonly LogEntry[], first: number) => void) | undefined;
}

/**
 * Writes the log of one task while its executor runs: in order, one append in flight, and everything that gathers meanwhile
 * goes into the next one. So the executor does not wait for each event, and a slow store costs few calls.
 */
export class LogWriter {
  readonly #log: TaskLog;
  readonly #listener: LogListener;
  #pending: LogEntry[] = [];
  #written: number;
  #stored: number;
  #round: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /**
   * @param generation where the log stands now; 0 when it does not exist yet
   */
  constructor(log: TaskLog, generation: number, listener: LogListener) {
    this.#log = log;
    this.#written = generation;
    this.#stored = generation;
    this.#listener = listener;
  }

  /** Generation that the log has once all that was written is durable. */
  get generation(): number {
    return this.#written;
  }

  /** How many entries are not durable yet; when there are many, the executor is held back. */
  get backlog(): number {
    return this.#written - this.#stored;
  }

  /** Whether an append failed; then nothing more is written. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  /**
   * Adds an entry; it is durable when {@link durable} of the returned generation resolves.
   * @returns the entry's generation
   */
  write(entry: LogEntry): number {
    this.#pending.push(entry);
    this.#written += 1;
    this.#round ??= this.#append();
    return this.#written;
  }

  /**
   * Resolves when the log has reached `generation` in the store.
   * @throws what the store threw, now and on every later call: after a failed append nothing more is written
   */
  async durable(generation: number): Promise<void> {
    while (this.#stored < generation) {
      if (this.#failure !== undefined) throw this.#failure.error;
      await this.#round;
    }
  }

  async #append(): Promise<void> {
    // Waits until nobody can go on without waiting for something: all that an executor yields in one go travels together.
    await new Promise<void>((resolve) => nextTick(resolve));
    const { store, scope, taskId } = this.#log;
    const batch = this.#pending;
    this.#pending = [];
    try {
      const first = this.#stored + 1;
      this.#stored = await store.append(scope, taskId, this.#stored, batch);
      this.#listener.stored?.(batch, first);
    } catch (error) {
      this.#failure = { error };
      this.#listener.failed();
    }
    this.#round = this.#pending.length > 0 && this.#failure === undefined ? this.#append() : undefined;
  }
}
