/** Steps that one check may take, and levels of schemas within schemas. */
const STEPS = 5_000_000;
const DEPTH = 400;

/**
 * Bounds the work of one check, because schema and data may both come from a stranger: references that fan out make
 * the work exponential in the size of a schema.
 */
export class Budget {
  #steps = STEPS;
  #depth = 0;

  /** @throws TooExpensive */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new TooExpensive("takes too long to check");
  }

  /** @throws TooExpensive */
  enter(): void {
    this.#depth += 1;
    if (this.#depth > DEPTH) throw new TooExpensive("is nested too deeply to be checked");
  }

  leave(): void {
    this.#depth -= 1;
  }
}

/** A check that was given up. */
export class TooExpensive extends Error {
  override readonly name = "TooExpensive";
}
