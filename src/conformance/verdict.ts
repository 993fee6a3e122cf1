/** An agent does something else than a requirement says. */
export class Deviation extends Error {
  override readonly name: string = "Deviation";
}

/** An agent did not answer in time, or cut the connection. */
export class Unanswered extends Deviation {
  override readonly name = "Unanswered";
}

/** What a check is about did not happen: the agent cannot be brought to it, or does not offer it. */
export class Inconclusive extends Error {
  override readonly name = "Inconclusive";
}
