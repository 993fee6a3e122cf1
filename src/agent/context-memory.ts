import { ownerAndTenant, type ScopeRule } from "../auth/scope-rule.js";
import { BoundedMap } from "../collections/bounded-map.js";
import type { ExecutionContext } from "./executor.js";

/** Default lifetime of an unused conversation, in minutes. */
const MINUTES = 60;

/** Default number of remembered conversations. */
const CONVERSATIONS = 10_000;

/** Identifies a conversation by its owner and its context id. */
export type Conversation = Pick<ExecutionContext, "contextId" | "call">;

/** Options of {@link contextMemory}. */
export interface ContextMemoryOptions<T> {
  /** Creates the state of a conversation that is new or was forgotten. */
  readonly create: (conversation: Conversation) => T;
  /** Milliseconds after the last use at which a conversation is forgotten; one hour by default. */
  readonly ttl?: number | undefined;
  /** Maximum number of conversations; beyond it the least recently used one is forgotten. 10,000 by default. */
  readonly max?: number | undefined;
  /**
   * Decides the owner of a conversation, when the server was given a scope rule of its own; by default the owner and
   * tenant of the call.
   */
  readonly scope?: ScopeRule | undefined;
}

/** The state that an agent keeps per conversation. */
export interface ContextMemory<T> {
  /** The state of the conversation that a run belongs to; created when there is none. */
  of(conversation: Conversation): T;
}

/**
 * Keeps state per conversation: all tasks and messages of one context share it (§3.4.1). Contexts of different tenants
 * or callers are separate, even when their ids are equal. The memory lives in this process and uses no timers; expired
 * conversations are dropped at the next use.
 *
 * @example
 * ```ts
 * const memory = contextMemory({ create: () => ({ turns: [] as string[] }) });
 * // in the executor
 * memory.of(context).turns.push(context.text);
 * ```
 * @throws TypeError when `ttl` or `max` is not positive
 */
export function contextMemory<T>({
  create,
  ttl = MINUTES * 60_000,
  max = CONVERSATIONS,
  scope = ownerAndTenant,
}: ContextMemoryOptions<T>): ContextMemory<T> {
  if (!(ttl > 0)) throw new TypeError("ttl must be a positive number of milliseconds");
  if (!(max >= 1)) throw new TypeError("max must be at least 1");
  /** Ordered by last use, oldest first. */
  const entries = new BoundedMap<string, { readonly state: T; readonly touched: number }>(max);
  return {
    of(conversation) {
      const { tenant, owner } = scope(conversation.call);
      const key = JSON.stringify([tenant, owner, conversation.contextId]);
      const now = Date.now();
      for (const [old, { touched }] of entries) {
        if (now - touched < ttl) break;
        entries.delete(old);
      }
      const known = entries.get(key);
      const state = known === undefined ? create(conversation) : known.state;
      entries.set(key, { state, touched: now });
      return state;
    },
  };
}
