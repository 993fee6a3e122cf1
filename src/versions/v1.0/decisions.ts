import type { additions } from "../../../generated/v1.0/additions.js";
import type { DecisionsOn } from "../decisions.js";

/** The decisions about what came new in protocol 1.0: as the first of its major version it adds to none, and its codec decides. */
export const decisions = {
  requestMembers: {},
  responseMembers: {},
  errors: {},
  operations: {},
} as const satisfies DecisionsOn<typeof additions>;
