/** How many tests have passed, and what the others said. */
export interface Outcome {
  passed: number;
  readonly failed: string[];
}

/** A test runner that needs nothing of its runtime: registers tests, then runs them one after the other. */
export class TestRun {
  readonly #tests: (readonly [name: string, run: () => Promise<void>])[] = [];

  readonly test = (name: string, run: () => Promise<void>): void => {
    this.#tests.push([name, run]);
  };

  /** @param only index of the test to run; all by default */
  async run(only?: number): Promise<Outcome> {
    const outcome: Outcome = { passed: 0, failed: [] };
    const tests = only === undefined ? this.#tests : this.#tests.slice(only, only + 1);
    for (const [name, run] of tests) {
      try {
        await run();
        outcome.passed += 1;
      } catch (error) {
        outcome.failed.push(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
      }
    }
    return outcome;
  }
}
