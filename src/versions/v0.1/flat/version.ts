import { FLAT_VERSION } from "../../version.js";

/** Name of the dialect, which has no number of its own: it follows the first draft in most. */
export const version = FLAT_VERSION;
