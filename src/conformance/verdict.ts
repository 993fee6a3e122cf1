/** The agent violates a requirement. */
export class Deviation extends Error {
  override readonly name: string = "Deviation";
}

/** The agent did not answer in time, or the connection failed. */
export class Unanswered extends Deviation {
  override readonly name = "Unanswered";
}

/** The check could not be carried out: its scenario did not occur, or the agent does not support it. */
export class Inconclusive extends Error {
  override readonly name = "Inconclusive";
}
