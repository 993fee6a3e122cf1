/** Maximum number of owners that one claim considers. */
export const OWNERS = 500;

/** Number of owners that share one claim. */
const SHARERS = 25;

/**
 * Maximum number of configs that one owner gets in its turn of a claim. The remainder goes to the oldest configs of any owner.
 * @param limit most configs of the claim
 */
export function shareOf(limit: number): number {
  return Math.max(1, Math.floor(limit / SHARERS));
}
