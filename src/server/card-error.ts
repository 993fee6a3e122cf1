/**
 * An agent card that must not be served: found at start, never sent to a caller. `problems` has one sentence per fault, each
 * beginning with the path of the member (`skills[1].id`).
 */
export class CardError extends Error {
  override readonly name = "CardError";
  readonly problems: readonly string[];

  constructor(agent: string, problems: readonly string[]) {
    super(`The card of agent "${agent}" is not right:\n- ${problems.join("\n- ")}`);
    this.problems = problems;
  }
}
