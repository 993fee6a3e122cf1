/** Maximum number of owners that one claim considers. */
export const MAX_OWNERS = 500;

/** Number of owners that share a claim of many configs, if each has enough. A claim of fewer configs takes one from each owner. */
const SHARERS = 25;

/**
 * Maximum number of configs that one claim takes from an owner in its turn. The remainder goes to the oldest configs of any owner.
 * @param limit maximum number of configs of the claim
 */
export function shareOf(limit: number): number {
  return Math.max(1, Math.floor(limit / SHARERS));
}
