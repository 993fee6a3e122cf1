/** Owners that are asked in one claim, at most, whether they have configs that are due. */
export const OWNERS = 500;

/** Owners among which one claim is shared. */
const SHARERS = 25;

/**
 * Configs that an owner gets in one claim when it is its turn. The oldest configs of all owners get what is left.
 * @param limit configs that are claimed at most
 */
export function shareOf(limit: number): number {
  return Math.max(1, Math.floor(limit / SHARERS));
}
