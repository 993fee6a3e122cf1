import type { CallContext } from "../call.js";
import type { Codec } from "../wire/codec.js";

/** What {@link Births} work with. */
export interface BirthsOptions {
  /** How many tasks are remembered here; 20 000 by default. */
  readonly limit?: number;
  /** The version as it is stored with the task; undefined when there is no such task for this caller, or it does not say. */
  stored?(taskId: string, call: CallContext): Promise<string | undefined>;
}

/**
 * In which version tasks were begun, for requests that name no version and call a method that several versions have: they are
 * taken for requests of the version that their task was begun in (§A.2). Stored with the tasks; what is remembered here spares
 * the question.
 */
export class Births {
  readonly #versions = new Map<string, string>();
  readonly #limit: number;
  readonly #stored: BirthsOptions["stored"];

  constructor({ limit = 20_000, stored }: BirthsOptions = {}) {
    this.#limit = limit;
    this.#stored = stored;
  }

  /** Notes the version in which a task was begun; the first one counts. */
  note(taskId: string, { version }: Pick<Codec, "version">): void {
    if (this.#versions.has(taskId)) return;
    const [oldest] = this.#versions.keys();
    if (oldest !== undefined && this.#versions.size >= this.#limit) this.#versions.delete(oldest);
    this.#versions.set(taskId, version);
  }

  /** The version that a task of a caller was begun in, remembered or stored. */
  async find(taskId: unknown, call: CallContext): Promise<string | undefined> {
    if (typeof taskId !== "string") return undefined;
    const version = this.versionOf(taskId) ?? (await this.#stored?.(taskId, call));
    if (version !== undefined) this.note(taskId, { version });
    return version;
  }

  /** The version that a task was begun in, as far as it is remembered. */
  versionOf(taskId: unknown): string | undefined {
    return typeof taskId === "string" ? this.#versions.get(taskId) : undefined;
  }
}
