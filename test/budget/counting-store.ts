import { MemoryStore } from "../../src/stores/index.js";

/** How often each call of a store was made. */
export type Calls = Readonly<Record<string, number>>;

/** A store in memory whose calls are counted, and take as long as they are told. */
export class CountingStore extends MemoryStore {
  #calls: Record<string, number> = {};
  #leaseCalls: Record<string, number> = {};
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

  override renewTasks(...call: Parameters<MemoryStore["renewTasks"]>) {
    this.#leaseCalls.renewTasks = (this.#leaseCalls.renewTasks ?? 0) + 1;
    return super.renewTasks(...call);
  }

  override settleTask(...call: Parameters<MemoryStore["settleTask"]>) {
    this.#leaseCalls.settleTask = (this.#leaseCalls.settleTask ?? 0) + 1;
    return super.settleTask(...call);
  }

  /** What was called for leases since it was last asked. */
  takeLeaseCalls(): Calls {
    const calls = this.#leaseCalls;
    this.#leaseCalls = {};
    return calls;
  }

  /** What was called since it was last asked, other than for leases. */
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
