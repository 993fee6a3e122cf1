import type { Codec } from "../wire/codec.js";

/** How many tasks are remembered. */
const TASKS = 20_000;

/**
 * In which version tasks were begun, for requests that name no version and call a method that several versions have: they are
 * taken for requests of the version that their task was begun in (§A.2).
 */
export class Births {
  readonly #versions = new Map<string, string>();
  readonly #limit: number;

  constructor(limit = TASKS) {
    this.#limit = limit;
  }

  /** Notes the version in which a task was begun; the first one counts. */
  note(taskId: string, { version }: Codec): void {
    if (this.#versions.has(taskId)) return;
    const [oldest] = this.#versions.keys();
    if (oldest !== undefined && this.#versions.size >= this.#limit) this.#versions.delete(oldest);
    this.#versions.set(taskId, version);
  }

  /** The version that a task was begun in, as far as it is remembered. */
  versionOf(taskId: unknown): string | undefined {
    return typeof taskId === "string" ? this.#versions.get(taskId) : undefined;
  }
}
