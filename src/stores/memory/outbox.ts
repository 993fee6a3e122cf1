import type { Clock } from "../clock.js";
import { deepFreeze } from "../deep-freeze.js";
import type { Lease } from "../lease-store.js";
import type { PushCursor, PushRecord, PushRegistration, PushStore } from "../push-store.js";
import type { Scope } from "../task-store.js";
import { scopeKey } from "./scope-tasks.js";

/** A config and who works on it. The record is replaced, never changed. */
interface Slot {
  record: PushRecord;
  node: string;
  /** When the lease runs out, in milliseconds since 1970. */
  until: number;
}

/** The push configs of a store in memory. Tasks without any cost it nothing. */
export class MemoryOutbox implements PushStore {
  readonly #tasks = new Map<string, Map<string, Slot>>();
  /** Configs with something to come, by agent, in the order in which they became so. */
  readonly #open = new Map<string, Set<Slot>>();
  readonly #clock: Clock;
  #places = 0;
  #revisions = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many configs there are. */
  get size(): number {
    let size = 0;
    for (const slots of this.#tasks.values()) size += slots.size;
    return size;
  }

  clear(): void {
    this.#tasks.clear();
    this.#open.clear();
  }

  /** Removes the configs of a task that is removed. */
  drop(scopeKey: string, taskId: string): void {
    const key = keyIn(scopeKey, taskId);
    for (const slot of this.#tasks.get(key)?.values() ?? []) this.#settle(slot);
    this.#tasks.delete(key);
  }

  async saveConfig(scope: Scope, registration: PushRegistration): Promise<PushRecord | undefined> {
    const { config, version, delivered, ended, lease, limit } = registration;
    const key = keyOf(scope, config.taskId);
    const slots = this.#tasks.get(key) ?? new Map<string, Slot>();
    const slot = slots.get(config.id);
    if (slot === undefined && slots.size >= limit) return undefined;
    const isOpen = !ended || slot?.record.cursor.state === "open";
    const record = deepFreeze<PushRecord>({
      scope: { ...scope },
      config: structuredClone(config),
      version,
      cursor: {
        delivered: slot?.record.cursor.delivered ?? delivered,
        failures: 0,
        due: 0,
        state: isOpen ? "open" : "done",
      },
      place: slot?.record.place ?? ++this.#places,
      revision: ++this.#revisions,
    });
    if (slot) this.#settle(slot);
    const next: Slot = { record, node: "", until: 0 };
    this.#tasks.set(key, slots);
    slots.set(config.id, next);
    if (isOpen) this.#take(next, lease);
    return record;
  }

  async loadConfig(scope: Scope, taskId: string, configId: string): Promise<PushRecord | undefined> {
    return this.#tasks.get(keyOf(scope, taskId))?.get(configId)?.record;
  }

  async listConfigs(scope: Scope, taskId?: string): Promise<readonly PushRecord[]> {
    const slots =
      taskId === undefined ? this.#slotsIn(scope) : this.#tasks.get(keyOf(scope, taskId))?.values();
    const records = [...(slots ?? [])].map(({ record }) => record);
    return records.sort((one, other) => one.place - other.place);
  }

  /** Of all tasks in a scope. Looks at every config there is. */
  #slotsIn(scope: Scope): Slot[] {
    return [...this.#tasks].flatMap(([key, slots]) =>
      [...slots.values()].filter(({ record }) => keyOf(scope, record.config.taskId) === key),
    );
  }

  async deleteConfig(scope: Scope, taskId: string, configId: string): Promise<void> {
    const key = keyOf(scope, taskId);
    const slots = this.#tasks.get(key);
    const slot = slots?.get(configId);
    if (slots === undefined || slot === undefined) return;
    this.#settle(slot);
    slots.delete(configId);
    if (slots.size === 0) this.#tasks.delete(key);
  }

  async claimConfigs(agent: string, lease: Lease, limit: number): Promise<readonly PushRecord[]> {
    const now = this.#clock.now();
    const claimed: PushRecord[] = [];
    for (const slot of this.#open.get(agent) ?? []) {
      if (claimed.length >= limit) break;
      if (slot.until > now) continue;
      this.#take(slot, lease);
      claimed.push(slot.record);
    }
    return claimed;
  }

  async renewConfigs(agent: string, { node, duration }: Lease): Promise<void> {
    const until = this.#clock.now() + duration;
    for (const slot of this.#open.get(agent) ?? []) if (slot.node === node) slot.until = until;
  }

  async releaseConfigs(agent: string, node: string): Promise<void> {
    for (const slot of this.#open.get(agent) ?? []) {
      if (slot.node === node) Object.assign(slot, { node: "", until: 0 });
    }
  }

  async advanceConfig(record: PushRecord, node: string, cursor: PushCursor): Promise<boolean> {
    const { scope, config, revision } = record;
    const slot = this.#tasks.get(keyOf(scope, config.taskId))?.get(config.id);
    if (slot?.record.revision !== revision || slot.node !== node) return false;
    slot.record = Object.freeze({ ...slot.record, cursor: Object.freeze({ ...cursor }) });
    if (cursor.state !== "open") this.#settle(slot);
    return true;
  }

  #take(slot: Slot, { node, duration }: Lease): void {
    const { agent } = slot.record.scope;
    const open = this.#open.get(agent) ?? new Set();
    this.#open.set(agent, open.add(slot));
    slot.node = node;
    slot.until = this.#clock.now() + duration;
  }

  /** Nothing is to come from it: nobody can hold it any more. */
  #settle(slot: Slot): void {
    const { agent } = slot.record.scope;
    const open = this.#open.get(agent);
    open?.delete(slot);
    if (open?.size === 0) this.#open.delete(agent);
    slot.node = "";
    slot.until = 0;
  }
}

function keyOf(scope: Scope, taskId: string): string {
  return keyIn(scopeKey(scope), taskId);
}

function keyIn(scope: string, taskId: string): string {
  return `${taskId.length}:${taskId}${scope}`;
}
