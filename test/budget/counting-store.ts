import { MemoryStore } from "../../src/index.js";

/** How often each call of a store was made. */
export type Calls = Readonly<Record<string, number>>;

/** A store in memory whose calls are counted, and take as long as they are told. */
export class CountingStore extends MemoryStore {
  #calls: Record<string, number> = {};
  /** Milliseconds that append, load, read and list take. */
  delay = 0;

  override async append(...call: Parameters<MemoryStore["append"]>) {
    await this.#count("append");
    return super.append(...call);
  }

  override async load(...call: Parameters<MemoryStore["load"]>) {
    await this.#count("load");
    return super.load(...call);
  }

  override async read(...call: Parameters<MemoryStore["read"]>) {
    await this.#count("read");
    return super.read(...call);
  }

  override async list(...call: Parameters<MemoryStore["list"]>) {
    await this.#count("list");
    return super.list(...call);
  }

  override wait(...call: Parameters<MemoryStore["wait"]>) {
    this.#calls.wait = (this.#calls.wait ?? 0) + 1;
    return super.wait(...call);
  }

  /** What was called since it was last asked. */
  take(): Calls {
    const calls = this.#calls;
    this.#calls = {};
    return calls;
  }

  #count(name: string): Promise<void> | undefined {
    this.#calls[name] = (this.#calls[name] ?? 0) + 1;
    if (this.delay === 0) return undefined;
    return new Promise((resolve) => setTimeout(resolve, this.delay));
  }
}
