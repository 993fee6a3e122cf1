/** Queues the messages to each task, so that they are sent one at a time (§3.4.3). Messages without a task are not delayed. */
export class SendQueue {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Waits for the earlier messages to the task.
   * @returns a function to call after the response to this message
   */
  async turn(taskId: string | undefined): Promise<() => void> {
    if (!taskId) return () => undefined;
    const before = this.#last.get(taskId);
    let release = (): void => undefined;
    const done = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#last.set(taskId, done);
    await before;
    return () => {
      release();
      if (this.#last.get(taskId) === done) this.#last.delete(taskId);
    };
  }
}
