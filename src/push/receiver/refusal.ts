/** A notification that is not taken, and the HTTP status that says so. The message is for the receiver's own log. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
