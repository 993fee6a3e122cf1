import type { Clock } from "../../async/clock.js";
import { KeyedCounter } from "../../collections/keyed-counter.js";
import { valueSize } from "../../json/value-size.js";
import type { Lease } from "../lease-store.js";
import { deepFreeze } from "../prepare.js";
import type { PushCursor, PushRecord, PushRegistration, PushStore } from "../push-store.js";
import { StoreFull } from "../store-error.js";
import { keyInScope, type Scope } from "../task-store.js";
import type { StoredBytes } from "./stored-bytes.js";
import type { Tasks } from "./tasks.js";

/** Approximate bytes of a config without its content. */
const SLOT = 800;

/** A config and its lease. The record is replaced, never changed. */
interface Slot {
  record: PushRecord;
  readonly bytes: number;
  node: string;
  /** When the lease expires, in milliseconds since 1970; 0 without a lease. */
  until: number;
}

/** What {@link MemoryPushConfigs} needs. */
export interface PushConfigsDeps {
  readonly clock: Clock;
  readonly tasks: Tasks;
  readonly bytes: StoredBytes;
}

/** The push configs of a memory store. A task without configs uses no memory here. */
export class MemoryPushConfigs implements PushStore {
  readonly #tasks = new Map<string, Map<string, Slot>>();
  /**
   * Open configs by agent and owner, those of an owner in the order in which they were last saved. An owner moves to the end whenever one
   * of its configs is claimed.
   */
  readonly #open = new Map<string, Map<string, Set<Slot>>>();
  /** Number of configs by agent and owner. */
  readonly #owners = new KeyedCounter();
  readonly #clock: Clock;
  readonly #stored: Tasks;
  readonly #bytes: StoredBytes;
  /** The last place and the last revision that were assigned. */
  #places = 0;
  #revisions = 0;

  constructor({ clock, tasks, bytes }: PushConfigsDeps) {
    this.#clock = clock;
    this.#stored = tasks;
    this.#bytes = bytes;
  }

  /** Number of configs. */
  get size(): number {
    let size = 0;
    for (const slots of this.#tasks.values()) size += slots.size;
    return size;
  }

  clear(): void {
    this.#tasks.clear();
    this.#open.clear();
    this.#owners.clear();
  }

  /** Bytes of the configs of a task. */
  bytesOf(scopeKey: string, taskId: string): number {
    if (this.#tasks.size === 0) return 0;
    let bytes = 0;
    for (const slot of this.#tasks.get(scopeKey + taskId)?.values() ?? []) bytes += slot.bytes;
    return bytes;
  }

  /** Deletes the configs of a deleted task. Their bytes are part of the task's bytes. */
  drop(scopeKey: string, taskId: string): void {
    const key = scopeKey + taskId;
    for (const slot of this.#tasks.get(key)?.values() ?? []) {
      this.#close(slot);
      this.#owners.add(ownerKey(slot.record.scope), -1);
    }
    this.#tasks.delete(key);
  }

  async saveConfig(scope: Scope, registration: PushRegistration): Promise<PushRecord | undefined> {
    const { config, version, delivered, ended, lease } = registration;
    const key = keyInScope(scope, config.taskId);
    const slots = this.#tasks.get(key) ?? new Map<string, Slot>();
    const slot = slots.get(config.id);
    if (slot === undefined && this.#isFull(scope, slots.size, registration)) return undefined;
    const bytes = SLOT + valueSize(config);
    this.#makeRoom(scope, config.taskId, bytes - (slot?.bytes ?? 0));
    const state = ended ? (slot?.record.cursor.state ?? "done") : "open";
    const record = deepFreeze<PushRecord>({
      scope: { ...scope },
      config: structuredClone(config),
      version,
      cursor: {
        delivered: slot?.record.cursor.delivered ?? delivered,
        failures: 0,
        due: 0,
        state,
      },
      place: slot?.record.place ?? ++this.#places,
      revision: ++this.#revisions,
    });
    if (slot) this.#close(slot);
    else this.#owners.add(ownerKey(scope), 1);
    this.#count(scope, config.taskId, bytes - (slot?.bytes ?? 0));
    const next: Slot = { record, bytes, node: "", until: 0 };
    this.#tasks.set(key, slots);
    slots.set(config.id, next);
    if (state === "open") this.#take(next, lease);
    return record;
  }

  async loadConfig(scope: Scope, taskId: string, configId: string): Promise<PushRecord | undefined> {
    return this.#tasks.get(keyInScope(scope, taskId))?.get(configId)?.record;
  }

  async listConfigs(scope: Scope, taskId?: string): Promise<readonly PushRecord[]> {
    const slots =
      taskId === undefined ? this.#slotsIn(scope) : this.#tasks.get(keyInScope(scope, taskId))?.values();
    const records = [...(slots ?? [])].map(({ record }) => record);
    return records.sort((one, other) => one.place - other.place);
  }

  /** Configs of all tasks in a scope. Scans every config of the store. */
  #slotsIn(scope: Scope): Slot[] {
    return [...this.#tasks].flatMap(([key, slots]) =>
      [...slots.values()].filter(({ record }) => keyInScope(scope, record.config.taskId) === key),
    );
  }

  async deleteConfig(scope: Scope, taskId: string, configId: string): Promise<void> {
    const key = keyInScope(scope, taskId);
    const slots = this.#tasks.get(key);
    const slot = slots?.get(configId);
    if (slots === undefined || slot === undefined) return;
    this.#close(slot);
    slots.delete(configId);
    this.#owners.add(ownerKey(scope), -1);
    if (slots.size === 0) this.#tasks.delete(key);
    this.#count(scope, taskId, -slot.bytes);
  }

  async countConfigs(of: Pick<Scope, "agent" | "owner">, most: number): Promise<number> {
    return Math.min(this.#owners.of(ownerKey(of)), most);
  }

  async claimConfigs(agent: string, lease: Lease, limit: number): Promise<readonly PushRecord[]> {
    const owners = this.#open.get(agent);
    const claimed: Slot[] = [];
    const waiting = [...(owners ?? [])].map(([owner, slots]) => ({ owner, due: this.#due(slots), slots }));
    for (let turns = waiting; turns.length > 0 && claimed.length < limit; ) {
      const left: typeof turns = [];
      for (const turn of turns) {
        if (claimed.length === limit) break;
        const { value } = turn.due.next();
        if (value === undefined) continue;
        this.#take(value, lease);
        claimed.push(value);
        left.push(turn);
        owners?.delete(turn.owner);
        owners?.set(turn.owner, turn.slots);
      }
      turns = left;
    }
    return claimed.map(({ record }) => record).sort((one, other) => one.place - other.place);
  }

  /** Configs without a lease, or whose lease has expired. */
  *#due(slots: Iterable<Slot>): Generator<Slot, undefined> {
    const now = this.#clock.now();
    for (const slot of slots) if (slot.until <= now) yield slot;
    return undefined;
  }

  *#openOf(agent: string): Generator<Slot> {
    for (const slots of this.#open.get(agent)?.values() ?? []) yield* slots;
  }

  async renewConfigs(agent: string, { node, duration }: Lease): Promise<void> {
    const until = this.#clock.now() + duration;
    for (const slot of this.#openOf(agent)) if (slot.node === node) slot.until = until;
  }

  async releaseConfigs(agent: string, node: string): Promise<void> {
    for (const slot of this.#openOf(agent)) {
      if (slot.node === node) Object.assign(slot, { node: "", until: 0 });
    }
  }

  async advanceConfig(record: PushRecord, node: string, cursor: PushCursor): Promise<boolean> {
    const { scope, config, revision } = record;
    const slot = this.#tasks.get(keyInScope(scope, config.taskId))?.get(config.id);
    if (slot?.record.revision !== revision || slot.node !== node) return false;
    slot.record = Object.freeze({ ...slot.record, cursor: Object.freeze({ ...cursor }) });
    if (cursor.state !== "open") this.#close(slot);
    return true;
  }

  #isFull(scope: Scope, ofTask: number, { limit, ownerLimit }: PushRegistration): boolean {
    return ofTask >= limit || this.#owners.of(ownerKey(scope)) >= ownerLimit;
  }

  /** @throws StoreFull when there is no room, or when making room has deleted the config's own task */
  #makeRoom(scope: Scope, taskId: string, bytes: number): void {
    if (bytes <= 0) return;
    const task = this.#stored.find(scope, taskId);
    const owner = this.#bytes.ownerOf(scope.owner);
    const bound = this.#bytes.makeRoom(owner, bytes);
    if (bound === undefined && !task?.gone) return;
    // Drops an owner that has nothing left.
    this.#bytes.charge(owner, 0);
    throw new StoreFull(bound ?? "owner");
  }

  /** Counts bytes of a task's configs: as the task's or, before the task exists, as its owner's. */
  #count(scope: Scope, taskId: string, bytes: number): void {
    const task = this.#stored.find(scope, taskId);
    if (task === undefined) this.#bytes.charge(this.#bytes.ownerOf(scope.owner), bytes);
    else this.#bytes.grow(task, bytes);
  }

  #take(slot: Slot, { node, duration }: Lease): void {
    const { agent, owner } = slot.record.scope;
    const owners = this.#open.get(agent) ?? new Map<string, Set<Slot>>();
    this.#open.set(agent, owners);
    const slots = owners.get(owner) ?? new Set();
    if (slots.size === 0) owners.set(owner, slots);
    slots.add(slot);
    slot.node = node;
    slot.until = this.#clock.now() + duration;
  }

  /** Removes a config from the open ones, if it is there, and ends its lease. */
  #close(slot: Slot): void {
    const { agent, owner } = slot.record.scope;
    const owners = this.#open.get(agent);
    const slots = owners?.get(owner);
    slots?.delete(slot);
    if (slots?.size === 0) owners?.delete(owner);
    if (owners?.size === 0) this.#open.delete(agent);
    slot.node = "";
    slot.until = 0;
  }
}

function ownerKey({ agent, owner }: Pick<Scope, "agent" | "owner">): string {
  return `${agent.length}:${agent}${owner}`;
}
