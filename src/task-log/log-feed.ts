import type { StoredEntry } from "./log.js";

/**
 * Receives entries when they are appended to a log, before the append returns. It must not throw.
 * @param entries as `TaskStore.read` would return them; the same list for all readers; empty when the log was deleted
 */
export type LogListener = (entries: readonly StoredEntry[]) => void;

/** Passes new entries to the readers of a log, so that a reader that has read all entries need not query the store for the next one. */
export interface LogFeed<Scope> {
  /**
   * Adds a listener to a log. It is called with every later append, in order.
   * @returns a function that removes it and may be called more than once; undefined when there is no such log
   */
  watch(scope: Scope, taskId: string, listener: LogListener): (() => void) | undefined;
}

const feeds = new WeakMap<object, LogFeed<never>>();

/**
 * Registers the feed of a store. It belongs to this object only: a wrapper around the store, for example one that counts or delays
 * calls, has no feed, so its readers call `wait` and `read`. A subclass that overrides one of these methods must not offer a feed.
 */
export function offerFeed<Scope>(store: object, feed: LogFeed<Scope>): void {
  feeds.set(store, feed);
}

/** The feed of a store; undefined when it has none. */
export function feedOf<Scope>(store: object): LogFeed<Scope> | undefined {
  return feeds.get(store);
}
