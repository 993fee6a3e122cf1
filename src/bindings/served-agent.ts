import type { CallContext } from "../call.js";
import type { Logger } from "../logger.js";
import type { AgentCard } from "../model.js";
import type { A2AHandler } from "../operations.js";
import type { Codec } from "../wire/codec.js";

/** An agent as the bindings see it: who answers, what it declares, which versions it speaks. */
export interface ServedAgent {
  readonly handler: A2AHandler<CallContext>;
  /** The public card, complete: capabilities and extensions declared here are what the bindings enforce. */
  readonly card: AgentCard;
  /** Codec of every version that this binding offers, by `Major.Minor`. */
  readonly codecs: ReadonlyMap<string, Codec>;
  readonly logger: Logger;
  /** Take the version from method name or path when the request names none (VER-12). Off by default. */
  readonly inferVersion?: boolean;
  /** Operations on which required extensions are demanded: the two sends (default), or all but the card's (EXT-09). */
  readonly requireExtensionsOn?: "send" | "all";
}
