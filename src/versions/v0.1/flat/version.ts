import { FLAT_VERSION } from "../../version.js";

/** Name of the dialect. It has no version number. */
export const version = FLAT_VERSION;
