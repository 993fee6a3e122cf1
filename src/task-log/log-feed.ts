import type { StoredEntry } from "./log.js";

/** Receives entries when they are appended to a log. */
export interface LogListener {
  /**
   * Called before the append returns. It must not throw.
   * @param entries as `TaskStore.read` would return them; the same list for all readers; empty when the log was deleted
   */
  appended(entries: readonly StoredEntry[]): void;

  /** Called when the log may have entries that are not passed on, because another process has appended them. It must not throw. */
  changed(): void;
}

/** A reader that is notified of the next item, or of the end. */
export interface ArrivalListener {
  /**
   * Called when an item has arrived, or when none will. The call may come from an append, so it must not throw, and must not take the item
   * before it returns.
   * @param isLast whether no further item follows
   */
  arrived(isLast: boolean): void;
}

/** Passes new entries to the readers of a log, so that a reader that has read all entries need not query the store for the next one. */
export interface LogFeed<Scope> {
  /**
   * Adds a listener to a log. It is called with every later append of this process, in order.
   * @returns the last generation of the log; undefined, without adding the listener, when there is no such log, it has ended, or
   * its last generation is not known
   */
  watch(scope: Scope, taskId: string, listener: LogListener): number | undefined;
  /** Removes a listener, if it is registered. */
  unwatch(scope: Scope, taskId: string, listener: LogListener): void;
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
