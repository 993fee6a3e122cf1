import { protocolVersion } from "../../src/protocol/operations.js";

/** The released versions that tests of all versions serve: those that are named, and the newest one, which they call. */
export const allVersions = [...new Set([protocolVersion, "1.0", "0.3", "0.1-flat", "0.1"] as const)];
