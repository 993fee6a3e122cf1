import { ownerAndTenant, type ScopeRule } from "../auth/scope-rule.js";
import { BoundedMap } from "../collections/bounded-map.js";
import type { CallContext } from "../protocol/call-context.js";
import { keyInScope } from "../stores/task-store.js";
import type { Codec } from "../versions/codec.js";

/** What {@link TaskVersionCache} work with. */
export interface TaskVersionCacheOptions {
  /** How many tasks are remembered here; 20 000 by default. */
  readonly limit?: number;
  /** Whose tasks a call may see; by default those of its principal in its tenant. */
  readonly scopeOf?: ScopeRule;
  /** The version as it is stored with the task; undefined when there is no such task for this caller, or it does not say. */
  stored?(taskId: string, call: CallContext): Promise<string | undefined>;
}

/**
 * In which version tasks were begun, for requests that name no version and call a method that several versions have: they are
 * taken for requests of the version that their task was begun in (§A.2). A caller learns nothing of tasks that it may not see: what
 * is remembered belongs to their owner, as what is stored does. Remembering it spares a question to the store.
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

  /** Notes the version in which a caller began a task; the first one counts. */
  record(taskId: string, call: CallContext, { version }: Pick<Codec, "version">): void {
    this.#remember(this.#placeOf(taskId, call), version);
  }

  /** The version that a task of a caller was begun in, remembered or stored. */
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
