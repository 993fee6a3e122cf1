import assert from "node:assert/strict";
import { type HeldTask, LeaseConflict, type LeaseStore, type TaskLease } from "../../stores/lease-store.js";
import type { PushConfig, PushRegistration, PushStore } from "../../stores/push-store.js";
import type { SendLedger } from "../../stores/send-ledger.js";
import { GenerationConflict, type Scope, type TaskQuery, type TaskStore } from "../../stores/task-store.js";
import { taskId } from "./entries.js";

/** A config, by default of task "task-1". */
export function config(id: string, more: Partial<PushConfig> = {}): PushConfig {
  return { id, taskId: "task-1", url: `https://hooks.example/${id}`, ...more };
}

/** The config that a test stores by default: open, at the beginning of the log, and held by node "one" for a second. */
export function registration(id: string, more: Partial<PushRegistration> = {}): PushRegistration {
  return {
    config: config(id),
    version: "one",
    delivered: 0,
    ended: false,
    lease: { node: "one", duration: 1000 },
    limit: 10,
    ownerLimit: 100,
    ...more,
  };
}

/** Leases of one second for node "one" and for node "two". */
export const one: TaskLease = { node: "one", duration: 1000, token: "one-1" };
export const two: TaskLease = { node: "two", duration: 1000, token: "two-1" };

/** The task of these tests, held with a token. */
export function held(scope: Scope, token: string): HeldTask {
  return { scope, taskId, token };
}

/** Fails unless the append rejects with LeaseConflict; returns the holder that the error names. */
export async function refusedBy(appended: Promise<number>): Promise<string | undefined> {
  const error = await appended.then(
    () => assert.fail("the append was not refused"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof LeaseConflict);
  return error.holder;
}

/** Fails unless the append rejects with GenerationConflict; returns the generation that the error names. */
export async function conflict(appended: Promise<number>): Promise<number> {
  const error = await appended.then(
    () => assert.fail("the append was not refused"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof GenerationConflict);
  return error.current;
}

/** Pseudorandom numbers that are the same in every run, so that failures can be reproduced. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** An integer from 0 (inclusive) to `limit` (exclusive). */
  below(limit: number): number {
    // The mulberry32 generator.
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  /** One of the choices. */
  of<Choice>(...choices: readonly Choice[]): Choice {
    return choices[this.below(choices.length)] as Choice;
  }

  /** A list of up to `limit` items. */
  list<Item>(limit: number, make: () => Item): Item[] {
    return Array.from({ length: this.below(limit + 1) }, make);
  }
}

/**
 * Optional parts of a store: push configs, idempotent sends, leases on tasks, retention, and (`pages`) limits in bytes on pages of tasks
 * and on reads of logs: {@link TaskQuery.maxBytes}, and `maxBytes` of {@link TaskStore.read}.
 */
export type StorePart = "configs" | "sends" | "leases" | "retention" | "pages";

/** Settings of the store of one test. */
export interface StoreSettings {
  /** Milliseconds for which the entries of an ended log are kept. */
  readonly grace: number;
  /** Milliseconds by state, as in the option `ttl` of a memory store. */
  readonly ttl: Readonly<Record<string, number>>;
}

/** An empty store for one test. */
export interface OpenedStore {
  readonly store: TaskStore & Partial<PushStore> & Partial<SendLedger> & Partial<LeaseStore>;
  /**
   * Advances the clock of the store by a number of milliseconds, and performs the actions that are due. Required for every part in
   * `keeps` except `pages`; a store that uses real time may wait instead.
   */
  readonly elapse?: ((milliseconds: number) => void | Promise<void>) | undefined;
  /** Called at the end of the test. */
  readonly close?: (() => void | Promise<void>) | undefined;
}

/** The store, scope and clock of a case. */
export interface ContractStore<Store = TaskStore> {
  readonly store: Store;
  /** A scope that no other case uses. */
  readonly scope: Scope;
  /** {@link OpenedStore.elapse}. @throws TypeError when `open` did not return it */
  readonly elapse: (milliseconds: number) => void | Promise<void>;
}

/** Tests one behaviour of a store. */
export type Case<Store = TaskStore> = (opened: ContractStore<Store>) => Promise<void>;

/** Cases by the behaviour that they test. */
export type Cases<Store = TaskStore> = Readonly<Record<string, Case<Store>>>;
