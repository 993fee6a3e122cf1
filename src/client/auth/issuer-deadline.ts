import { ClientError } from "../client-error.js";
import { Deadline, startTimer } from "../deadline.js";

/** Seconds for one request to an issuer. */
const SECONDS = 30;

/** The deadline of a request to an issuer. Its limit is not one of the client's options, so the error does not name one. */
export class IssuerDeadline extends Deadline {
  readonly #stop: () => void;

  /** @param outer the caller's signal; when it aborts, this signal aborts with the same reason */
  constructor(outer: AbortSignal) {
    super(outer);
    const message = `The OAuth issuer has not answered within ${SECONDS} seconds`;
    this.#stop = startTimer(SECONDS, () => this.abort(new ClientError("TIMEOUT", message)));
  }

  override close(): void {
    this.#stop();
    super.close();
  }
}
