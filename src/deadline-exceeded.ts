/** A piece of work was not finished within its time. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
  readonly code = "ETIMEDOUT";

  constructor(milliseconds: number) {
    super(`Not finished within ${milliseconds} ms`);
  }
}
