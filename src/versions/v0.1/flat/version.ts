import { FLAT_VERSION } from "../../version.js";

/** Name of the dialect. It has no version number, and is mostly the same as the first draft. */
export const version = FLAT_VERSION;
