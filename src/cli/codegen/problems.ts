import { Failure, fileFailure } from "../failure.js";

/** Collects the faults in the schemas of one run, so that all are reported and not only the first. */
export class Problems {
  readonly #found: Failure[] = [];

  /** Runs a step; notes a failure and goes on without a value. */
  note<Value>(step: () => Value): Value | undefined {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#found.push(error);
      return undefined;
    }
  }

  /** Notes a fault of a file. */
  add(message: string, cause?: unknown): void {
    this.#found.push(fileFailure(message, cause));
  }

  /** @throws Failure with every problem, one a line */
  throwAny(): void {
    const [only, ...more] = this.#found;
    if (only === undefined) return;
    if (more.length === 0) throw only;
    const lines = this.#found.map(({ message }) => `  ${message}`);
    throw fileFailure(`${lines.length} faults:\n${lines.join("\n")}`);
  }
}
