/**
 * A card that must not be trusted. `UNSIGNED`: it carries no signature. `UNVERIFIED`: it carries some, and none of them
 * holds, which is worse and never taken for unsigned (§8.4.3). `reasons` says why, one entry per signature.
 */
export class CardSignatureError extends Error {
  override readonly name = "CardSignatureError";
  readonly code: "UNSIGNED" | "UNVERIFIED";
  readonly reasons: readonly string[];

  constructor(code: "UNSIGNED" | "UNVERIFIED", reasons: readonly string[]) {
    super(
      code === "UNSIGNED"
        ? "The agent card is not signed"
        : `No signature of the agent card holds: ${reasons.join("; ")}`,
    );
    this.code = code;
    this.reasons = reasons;
  }
}
