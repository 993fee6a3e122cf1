import { Failure, fileFailure } from "../failure.js";

/** Collects the problems in the schemas of one run, so that all of them are reported and not only the first. */
export class Problems {
  readonly #found: Failure[] = [];

  /** Runs a step. Records a {@link Failure}, and then returns undefined. */
  attempt<Value>(step: () => Value): Value | undefined {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#found.push(error);
      return undefined;
    }
  }

  /** Records a problem of a file. */
  add(message: string, cause?: unknown): void {
    this.#found.push(fileFailure(message, cause));
  }

  /** @throws Failure with every recorded problem, one per line */
  throwAny(): void {
    const [only, ...more] = this.#found;
    if (only === undefined) return;
    if (more.length === 0) throw only;
    const lines = this.#found.map(({ message }) => `  ${message}`);
    throw fileFailure(`${lines.length} problems:\n${lines.join("\n")}`);
  }
}
