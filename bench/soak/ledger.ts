import type { Event } from "./connection.js";

const TERMINAL = /COMPLETED|FAILED|CANCELED|REJECTED/;

/**
 * The events of a task that a reader has seen, compared with the rules: generations without a gap, numbers of each artifact in order,
 * nothing twice, nothing after the end.
 */
export class Ledger {
  readonly faults: string[] = [];
  taskId = "";
  /** Generation of the last event; 0 before the first. */
  last = 0;
  state = "";
  events = 0;
  readonly #begun = performance.now();
  /** Next number of each artifact. */
  readonly #next = new Map<string, number>();

  /** Milliseconds since the task was requested. */
  get age(): number {
    return performance.now() - this.#begun;
  }

  get ended(): boolean {
    return TERMINAL.test(this.state);
  }

  /** Numbers seen of an artifact. */
  countOf(artifactId: string): number {
    return this.#next.get(artifactId) ?? 0;
  }

  /** Takes the next event of a stream in. */
  take({ id, data }: Event): void {
    this.events += 1;
    if (data.error !== undefined) this.#fault(`an error: ${JSON.stringify(data.error).slice(0, 200)}`);
    else if (data.task !== undefined) this.#snapshot(id, data.task);
    else this.#update(id, data);
  }

  #update(id: number, data: any): void {
    if (this.ended) this.#fault(`event ${id} after the end`);
    if (id !== this.last + 1) this.#fault(`event ${id} after event ${this.last}`);
    this.last = id;
    if (data.statusUpdate !== undefined) this.state = data.statusUpdate.status.state;
    else this.#chunk(data.artifactUpdate.artifact);
  }

  /** A stream begins with the task as it stood where it begins. */
  #snapshot(id: number, task: any): void {
    if (this.taskId !== "" && id !== this.last) this.#fault(`went on at ${id} instead of ${this.last}`);
    this.taskId = task.id;
    this.last = id;
    this.state = task.status.state;
    for (const artifact of task.artifacts ?? []) {
      const count =
        artifact.parts
          .map(({ text }: { text: string }) => text)
          .join("")
          .split(",").length - 1;
      if (this.#next.has(artifact.artifactId) && this.countOf(artifact.artifactId) !== count) {
        this.#fault(`the task has ${count} numbers, seen were ${this.countOf(artifact.artifactId)}`);
      }
      this.#next.set(artifact.artifactId, count);
    }
  }

  #chunk({ artifactId, parts }: { artifactId: string; parts: { text: string }[] }): void {
    for (const { text } of parts) {
      const wanted = this.countOf(artifactId);
      if (text !== `${wanted},`) this.#fault(`number ${text} instead of ${wanted}`);
      this.#next.set(artifactId, wanted + 1);
    }
  }

  #fault(text: string): void {
    this.faults.push(`task ${this.taskId}: ${text}`);
  }
}
