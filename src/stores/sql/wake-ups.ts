/**
 * Notifies processes that share a database when another of them writes. Topics are short opaque strings without spaces. Messages may be
 * lost, repeated or late, because readers also poll. Any broadcast channel can implement it. The example assumes a client that can publish
 * while it subscribes; clients of Redis usually need a second connection for that.
 *
 * @example
 * ```ts
 * const wakeUps: WakeUps = {
 *   open: (heard) => redis.subscribe("parley", (message) => heard(message.split(" "))),
 *   send: (topics) => void redis.publish("parley", topics.join(" ")).catch(() => undefined),
 *   close: async () => void (await redis.quit()),
 * };
 * ```
 */
export interface WakeUps {
  /**
   * Starts to listen. If it rejects, the `open` of the store rejects with the same error, and does not call `close`.
   * @param heard called with the topics that other processes have sent; those of this process may be among them
   * @param missed called when messages may have been lost
   */
  open(heard: (topics: readonly string[]) => void, missed: () => void): Promise<void>;

  /** Sends topics to all other processes, as soon as possible. Must not throw. */
  send(topics: readonly string[]): void;

  /** Stops listening and releases all resources. */
  close(): Promise<void>;
}
