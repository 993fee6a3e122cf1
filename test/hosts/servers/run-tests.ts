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

  async run(): Promise<Outcome> {
    const outcome: Outcome = { passed: 0, failed: [] };
    for (const [name, run] of this.#tests) {
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
