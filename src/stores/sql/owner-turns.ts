/** Maximum number of owners that get a turn in one search for configs to claim. A claim from libSQL makes two such searches. */
export const MAX_OWNERS = 500;

/** Divisor of the limit of a claim: in its turn an owner gets at most a 25th of that limit, or one config if a 25th is less. */
const SHARERS = 25;

/**
 * Maximum number of configs that one claim takes from an owner in its turn. The remainder goes to the oldest configs of any owner.
 * @param limit maximum number of configs of the claim
 */
export function shareOf(limit: number): number {
  return Math.max(1, Math.floor(limit / SHARERS));
}
