/**
 * An invalid agent card, found when the server starts. It is never sent to a caller. `problems` has one sentence per fault, each
 * beginning with the path of the member (`skills[1].id`).
 * @example `if (error instanceof CardError) console.error(error.problems.join("\n"));`
 */
export class CardError extends Error {
  override readonly name = "CardError";
  readonly problems: readonly string[];

  constructor(agent: string | undefined, problems: readonly string[]) {
    const owner = typeof agent === "string" ? `agent "${agent}"` : "an agent without a name";
    super(`The card of ${owner} is not valid:\n- ${problems.join("\n- ")}`);
    this.problems = problems;
  }
}
