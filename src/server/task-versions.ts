import { ownerAndTenant, type ScopeRule } from "../auth/scope-rule.js";
import { BoundedMap } from "../collections/bounded-map.js";
import type { CallContext } from "../protocol/call-context.js";
import { keyInScope } from "../stores/task-store.js";
import type { Codec } from "../versions/codec.js";

/** Options of a {@link TaskVersionCache}. */
export interface TaskVersionCacheOptions {
  /** Maximum number of cached tasks; 20,000 by default. */
  readonly limit?: number;
  /** Returns whose tasks a call may access; by default those of its principal in its tenant. */
  readonly scopeOf?: ScopeRule;
  /** Returns the version that is stored with a task; undefined if the caller has no such task, or if no version is stored. */
  stored?(taskId: string, call: CallContext): Promise<string | undefined>;
}

/**
 * Caches the versions in which tasks were created. A request that names no version and calls a method of several versions is read in the
 * version of its task (§A.2). Entries belong to the owner of the task, so that callers learn nothing about the tasks of others.
 */
export class TaskVersionCache {
  readonly #versions: BoundedMap<string, string>;
  readonly #scopeOf: ScopeRule;
  readonly #stored: TaskVersionCacheOptions["stored"];

  constructor({ limit = 20_000, scopeOf = ownerAndTenant, stored }: TaskVersionCacheOptions = {}) {
    this.#versions = new BoundedMap(limit);
    this.#scopeOf = scopeOf;
    this.#stored = stored;
  }

  /** Whether versions are stored with their tasks. */
  get isStored(): boolean {
    return this.#stored !== undefined;
  }

  /** Records the version in which a caller created a task. Later versions of the same task are ignored. */
  record(taskId: string, call: CallContext, { version }: Pick<Codec, "version">): void {
    this.#remember(this.#placeOf(taskId, call), version);
  }

  /** The version in which a task of the caller was created, from the cache or the store. */
  async find(taskId: unknown, call: CallContext): Promise<string | undefined> {
    if (typeof taskId !== "string") return undefined;
    const place = this.#placeOf(taskId, call);
    const version = this.#versions.get(place) ?? (await this.#stored?.(taskId, call));
    if (version !== undefined) this.#remember(place, version);
    return version;
  }

  #remember(place: string, version: string): void {
    if (!this.#versions.has(place)) this.#versions.set(place, version);
  }

  #placeOf(taskId: string, call: CallContext): string {
    const { owner, tenant } = this.#scopeOf(call);
    return keyInScope({ agent: "", tenant, owner }, taskId);
  }
}
