import { randomUUID } from "node:crypto";
import type { TestContext } from "vitest";
import type { Logger } from "../../src/protocol/logger.js";
import { type OpenPushOptions, openPush, type Push } from "../../src/push/open-push.js";
import type { PushOptions } from "../../src/push/options.js";
import type { Lease } from "../../src/stores/lease-store.js";
import { MemoryStore } from "../../src/stores/memory.js";
import type { PushConfig, PushRecord } from "../../src/stores/push-store.js";
import type { Scope } from "../../src/stores/task-store.js";
import type { LogEntry } from "../../src/task-log/log.js";
import { loadCodecs } from "../../src/versions/codecs.js";

const codecs = await loadCodecs();

export const scope: Scope = { agent: "agent", tenant: "", owner: "alice" };

/** For tests: webhooks may be on this machine, and waits are short. */
export const near: PushOptions = {
  allowHttp: true,
  allowPrivateNetworks: true,
  firstDelay: 0.005,
  maxDelay: 0.02,
};

/** A line of a log. */
export interface Line {
  readonly level: keyof Logger;
  readonly facts: any;
  readonly text: string;
}

/** A logger that keeps what it is told, and tells when it is told something. */
export class NotingLogger implements Logger {
  readonly lines: Line[] = [];
  #waiting: { readonly isMet: () => boolean; readonly resolve: () => void }[] = [];

  debug = (facts: object, text: string) => this.#note("debug", facts, text);
  info = (facts: object, text: string) => this.#note("info", facts, text);
  warn = (facts: object, text: string) => this.#note("warn", facts, text);
  error = (facts: object, text: string) => this.#note("error", facts, text);
  /** Leaves out the line of each request. */
  isLevelEnabled = () => false;

  /** Resolves once a text was logged that often. */
  told(text: string, times = 1): Promise<void> {
    return new Promise((resolve) => {
      const isMet = () => this.lines.filter((line) => line.text === text).length >= times;
      this.#waiting.push({ isMet, resolve });
      this.#look();
    });
  }

  #note(level: keyof Logger, facts: object, text: string): void {
    this.lines.push({ level, facts, text });
    this.#look();
  }

  #look(): void {
    this.#waiting = this.#waiting.filter(({ isMet, resolve }) => {
      if (!isMet()) return true;
      resolve();
      return false;
    });
  }
}

/** The lease of another process each time. */
export function newLease(): Lease {
  return { node: randomUUID(), duration: 30_000 };
}

/** Push notifications over a store of their own, without a server around them. */
export class Desk {
  readonly store: MemoryStore;
  readonly logger = new NotingLogger();
  readonly push: Push;
  #generations = new Map<string, number>();

  constructor(t: TestContext, options: PushOptions = {}, parts: Partial<OpenPushOptions> = {}) {
    this.store = (parts.store as MemoryStore | undefined) ?? new MemoryStore();
    this.push = openPush({
      options: { ...near, ...options },
      name: "agent",
      codecs,
      lease: newLease(),
      logger: this.logger,
      ...parts,
      store: this.store,
    });
    this.push.outbox.start();
    // Waits between attempts keep no process alive, and there is no server here that does.
    const alive = setInterval(() => undefined, 1000);
    t.onTestFinished(() => {
      clearInterval(alive);
      return this.push.close();
    });
  }

  /** Writes the log of a task on. */
  async write(taskId: string, ...entries: LogEntry[]): Promise<void> {
    const expected = this.#generations.get(taskId) ?? 0;
    this.#generations.set(taskId, await this.store.append(scope, taskId, expected, entries));
  }

  /** Sets a config up for a task that is there, and has it delivered from the beginning of the log. */
  async hook(url: string, more: Partial<PushConfig> = {}): Promise<PushRecord> {
    const config = { url, ...more };
    const taskId = more.taskId ?? "task-1";
    const record = await this.push.configs.attach({ scope, taskId, config, version: "1.0" }, 0);
    this.push.configs.begin(record);
    return record;
  }

  /** The cursor of a config as it is stored. */
  async cursor({ config }: PushRecord) {
    return (await this.store.loadConfig(scope, config.taskId, config.id))?.cursor;
  }
}
