/** Sends the messages to one task one after the other (§3.4.3). Messages that begin a task are not delayed. */
export class SendQueue {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Waits for the earlier messages to the task.
   * @returns a function to call when this message is answered
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
