/** Number of the dialect: it has none of its own, and follows the draft in most. */
export const version = "0.1x";
