import type { Refusal } from "./verifier.js";

/** What the credentials of a request lacked, by the name of their scheme. */
export type Reasons = Readonly<Record<string, Refusal | "scope">>;

/**
 * The cause of a refusal: why, by scheme. It stays on this side of the wire, and holds nothing of the credentials.
 */
export class RefusedCredentials extends Error {
  override readonly name = "RefusedCredentials";
  readonly reasons: Reasons;

  constructor(reasons: Reasons) {
    super("The credentials of a request were refused");
    this.reasons = reasons;
  }
}
