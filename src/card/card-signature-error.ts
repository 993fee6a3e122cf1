/**
 * A card that must not be trusted. `UNSIGNED`: it has no signature. `UNVERIFIED`: it has signatures and none is valid,
 * which is worse and never treated as unsigned (§8.4.3). `reasons` has one entry for each signature that was checked, 16 at most.
 *
 * @example
 * ```ts
 * try {
 *   await connect(url, { signatures: { keys } });
 * } catch (err) {
 *   if (err instanceof CardSignatureError) console.error(err.code, err.reasons);
 * }
 * ```
 */
export class CardSignatureError extends Error {
  override readonly name = "CardSignatureError";
  /** Whether the card has no signature, or none that is valid. */
  readonly code: "UNSIGNED" | "UNVERIFIED";
  /** Why each signature was refused, in the order of the card. */
  readonly reasons: readonly string[];

  constructor(code: "UNSIGNED" | "UNVERIFIED", reasons: readonly string[]) {
    super(
      code === "UNSIGNED"
        ? "The agent card is not signed"
        : `No signature of the agent card is valid: ${reasons.join("; ")}`,
    );
    this.code = code;
    this.reasons = reasons;
  }
}
