import { ownerAndTenant, type ScopeRule } from "../auth/scope-rule.js";
import { BoundedMap } from "../collections/bounded-map.js";
import { argumentError, assertObject } from "../protocol/argument.js";
import type { ExecutionContext } from "./executor.js";

/** Default lifetime of an unused conversation, in minutes. */
const MINUTES = 60;

/** Default number of remembered conversations. */
const CONVERSATIONS = 10_000;

/** Identifies a conversation: by its context id, and by the tenant and the owner of the call. */
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
   * Decides whose conversation it is. Pass the server's `auth.scope` if it has one; by default the principal and the
   * tenant of the call decide.
   */
  readonly scope?: ScopeRule | undefined;
}

/** The state that an agent keeps per conversation. */
export interface ContextMemory<T> {
  /**
   * The state of the conversation that an execution context belongs to; created when there is none.
   * @throws what `create` or `scope` throws
   */
  of(conversation: Conversation): T;
}

/**
 * Keeps state per conversation: all tasks and messages of one context share it (§3.4.1). Contexts of different tenants
 * or owners are separate, even when their ids are equal. The memory lives in this process and uses no timers; expired
 * conversations are dropped at the next use.
 *
 * @example
 * ```ts
 * const memory = contextMemory({ create: () => ({ turns: [] as string[] }) });
 * // in the executor
 * memory.of(context).turns.push(context.text);
 * ```
 * @throws TypeError when the options are not an object, `create` is not a function, `ttl` is not positive, or `max` is less than 1
 */
export function contextMemory<T>(options: ContextMemoryOptions<T>): ContextMemory<T> {
  assertObject(options, "contextMemory needs a function `create`, such as { create: () => ({ turns: [] }) }");
  const { create, ttl = MINUTES * 60_000, max = CONVERSATIONS, scope = ownerAndTenant } = options;
  if (typeof create !== "function")
    throw argumentError("contextMemory: `create` must be a function that makes the state", create);
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
