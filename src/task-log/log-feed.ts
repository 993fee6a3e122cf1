import type { StoredEntry } from "./log.js";

/**
 * Receives entries as they are appended to a log, before the call that appends them returns. It must not throw.
 * @param entries as `TaskStore.read` gives them; all readers get the same list; empty when the log has gone
 */
export type LogListener = (entries: readonly StoredEntry[]) => void;

/** Hands new entries to the readers of a log. A reader that has read all there is need not ask its store for each further entry. */
export interface LogFeed<Scope> {
  /**
   * Adds a listener to a log. From then on every append is told to it, in order.
   * @returns a function that removes it and may be called more than once; undefined when there is no such log
   */
  watch(scope: Scope, taskId: string, listener: LogListener): (() => void) | undefined;
}

const feeds = new WeakMap<object, LogFeed<never>>();

/**
 * Notes the feed of a store. It goes by the identity of the store: what is wrapped around the store, for example to count or to
 * delay its calls, has no feed, and its readers call `wait` and `read`. A subclass of a store that overrides one of these offers none.
 */
export function offerFeed<Scope>(store: object, feed: LogFeed<Scope>): void {
  feeds.set(store, feed);
}

/** The feed of a store; undefined when it has none. */
export function feedOf<Scope>(store: object): LogFeed<Scope> | undefined {
  return feeds.get(store);
}
