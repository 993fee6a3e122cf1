import { send } from "./send.js";

const PAUSE_MS = 50;
const LIMIT_MS = 10_000;

/** A caller with plain requests, which must always be answered. */
export class Canary {
  readonly #port: number;
  #isOver = false;
  #run: Promise<void> | undefined;
  calls = 0;
  /** Longest wait for an answer, in milliseconds. */
  slowest = 0;
  readonly faults: string[] = [];
  /** Number of tasks that it has created. */
  tasks = 0;

  constructor(port: number) {
    this.#port = port;
  }

  start(): void {
    this.#run = this.#sing();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#run;
  }

  async #sing(): Promise<void> {
    while (!this.#isOver) {
      const text = `${this.calls}`;
      const params = { message: { messageId: text, role: "ROLE_USER", parts: [{ text: `Hello ${text}` }] } };
      const start = performance.now();
      try {
        const { body } = await send(this.#port, {
          method: "POST",
          path: "/message:send",
          headers: { "Content-Type": "application/json", "A2A-Version": "1.0" },
          body: Buffer.from(JSON.stringify(params)),
        });
        const { task } = JSON.parse(body) as { task?: { status: { state: string } } };
        if (task?.status.state !== "TASK_STATE_COMPLETED")
          this.faults.push(`a plain call got ${body.slice(0, 200)}`);
        else this.tasks += 1;
      } catch (error) {
        this.faults.push(`a plain call failed: ${error}`);
      }
      const time = performance.now() - start;
      this.slowest = Math.max(this.slowest, time);
      if (time > LIMIT_MS) this.faults.push(`a plain call took ${Math.round(time)} ms`);
      this.calls += 1;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
