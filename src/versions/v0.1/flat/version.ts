import { FLAT_VERSION } from "../../version.js";

/** Name of the dialect, which has no number of its own and follows the first draft in most respects. */
export const version = FLAT_VERSION;
