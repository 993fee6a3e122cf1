/** Maximum number of steps of one check. */
const STEPS = 5_000_000;
/** Maximum nesting of schemas that are being evaluated. */
const DEPTH = 400;

/**
 * Bounds the work of one check, because schema and data may both come from an untrusted source: references that fan out
 * make the work exponential in the size of a schema.
 */
export class Budget {
  #steps = STEPS;
  #depth = 0;

  /**
   * Counts work.
   * @throws TooExpensive when the check has taken all its steps
   */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new TooExpensive("takes too long to check");
  }

  /**
   * Enters a schema within the current one; paired with {@link leave}.
   * @throws TooExpensive when it is nested too deeply
   */
  enter(): void {
    this.#depth += 1;
    if (this.#depth > DEPTH) throw new TooExpensive("is nested too deeply to be checked");
  }

  /** Leaves the schema that was entered last. */
  leave(): void {
    this.#depth -= 1;
  }
}

/** Thrown when a check exceeds its budget. */
export class TooExpensive extends Error {
  override readonly name = "TooExpensive";
}
