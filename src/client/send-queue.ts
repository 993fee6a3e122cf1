import { pause } from "./backoff.js";
import { Deadline } from "./deadline.js";

/** Queues the messages to each task, so that they are sent one at a time (§3.4.3). Messages without a task are not delayed. */
export class SendQueue {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Waits for the earlier messages to the task.
   * @returns a function to call when the call or stream of this message has ended, so that the next message is sent
   * @throws the reason of the signal if it has aborted, or aborts, while an earlier message is in progress. Later messages still wait for
   *   the earlier ones
   */
  async turn(taskId: string | undefined, signal?: AbortSignal): Promise<() => void> {
    if (!taskId) return () => undefined;
    const before = this.#last.get(taskId);
    let leave = (): void => undefined;
    const done: Promise<void> = new Promise((resolve) => {
      leave = () => {
        resolve();
        if (this.#last.get(taskId) === done) this.#last.delete(taskId);
      };
    });
    this.#last.set(taskId, done);
    const waiting = new Deadline(signal);
    try {
      await Promise.race([before, pause(Number.POSITIVE_INFINITY, waiting.signal)]);
      return leave;
    } catch (error) {
      void before?.then(leave);
      throw error;
    } finally {
      waiting.abort(undefined);
    }
  }
}
