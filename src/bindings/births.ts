import type { Codec } from "../wire/codec.js";

/** How many tasks are remembered. */
const TASKS = 20_000;

/**
 * In which version tasks were begun, for requests that name no version and call a method that several versions have: they are
 * taken for requests of the version that their task was begun in (§A.2). Remembered by this process, for the latest tasks.
 */
export class Births {
  readonly #codecs = new Map<string, Codec>();
  readonly #limit: number;

  constructor(limit = TASKS) {
    this.#limit = limit;
  }

  /** Notes the version in which a task was begun; the first one counts. */
  note(taskId: string, codec: Codec): void {
    if (this.#codecs.has(taskId)) return;
    const [oldest] = this.#codecs.keys();
    if (oldest !== undefined && this.#codecs.size >= this.#limit) this.#codecs.delete(oldest);
    this.#codecs.set(taskId, codec);
  }

  /** The version that a task was begun in, as far as it is remembered and has this method. */
  codecFor(taskId: unknown, method: string): Codec | undefined {
    const codec = typeof taskId === "string" ? this.#codecs.get(taskId) : undefined;
    return codec?.methods.has(method) ? codec : undefined;
  }
}
