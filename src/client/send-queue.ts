/** Lets messages to one task go out one after the other (§3.4.3). Messages that begin a task wait for nobody. */
export class SendQueue {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Waits for the messages that were sent to the task before.
   * @returns what to call when this one is answered
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
