import type { additions } from "../../../generated/v1.0/additions.js";
import type { DecisionsOn } from "../decisions.js";

/** The decisions about the additions of protocol 1.0. It is the first of its major version, so there are none. */
export const decisions = {
  requestMembers: {},
  responseMembers: {},
  errors: {},
  operations: {},
} as const satisfies DecisionsOn<typeof additions>;
