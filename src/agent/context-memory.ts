import { ownerAndTenant, type ScopeRule } from "../auth/scope-rule.js";
import type { ExecutionContext } from "./executor.js";

/** Minutes after which an untouched conversation is forgotten, when nothing else is said. */
const MINUTES = 60;

/** Conversations that are remembered, when nothing else is said. */
const CONVERSATIONS = 10_000;

/** What identifies a conversation: who holds it, and which one it is. */
export type Conversation = Pick<ExecutionContext, "contextId" | "call">;

/** What a memory is made of. */
export interface ContextMemoryOptions<T> {
  /** Makes what is remembered of a conversation that is new, or was forgotten. */
  readonly create: (conversation: Conversation) => T;
  /** Milliseconds after which a conversation that nobody touched is forgotten; one hour when left out. */
  readonly ttl?: number;
  /** How many conversations are remembered; beyond it the one that was not touched for longest goes. 10,000 when left out. */
  readonly max?: number;
  /** Whose conversation it is, when the server was given a rule of its own; owner and tenant of the call when left out. */
  readonly scope?: ScopeRule;
}

/** What an agent remembers of its conversations. */
export interface ContextMemory<T> {
  /** What is remembered of the conversation that a run belongs to. */
  of(conversation: Conversation): T;
}

/**
 * State per conversation: tasks and messages of one context share it (§3.4.1). Conversations of different tenants or callers
 * are different ones, also when their context ids are equal (§3.4.1). It lives in this process, without timers: what has
 * expired (§3.4.1) goes when the memory is next used.
 *
 * @example
 * const memory = contextMemory({ create: () => ({ turns: [] as string[] }) });
 * // in the executor
 * memory.of(context).turns.push(context.text);
 *
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
  /** In the order of the last touch, oldest first. */
  const entries = new Map<string, { readonly state: T; readonly touched: number }>();
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
      entries.delete(key);
      entries.set(key, { state, touched: now });
      for (const old of entries.keys()) {
        if (entries.size <= max) break;
        entries.delete(old);
      }
      return state;
    },
  };
}
