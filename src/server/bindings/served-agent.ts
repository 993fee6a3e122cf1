import type { CallContext, Principal } from "../../protocol/call-context.js";
import type { A2AError } from "../../protocol/errors.js";
import type { Logger } from "../../protocol/logger.js";
import type { AgentCard } from "../../protocol/model.js";
import type { A2AHandler, OperationName } from "../../protocol/operations.js";
import type { Codec } from "../../versions/codec.js";
import type { Bounds } from "./bounds.js";
import type { HttpRequest } from "./http.js";
import type { TaskVersionCache } from "./task-versions.js";

/** An agent as the bindings see it: who answers, what it declares, which versions it speaks. */
export interface ServedAgent {
  readonly handler: A2AHandler<CallContext>;
  /** The public card, complete: capabilities and extensions declared here are what the bindings enforce. */
  readonly card: AgentCard;
  /** Codec of every version that this binding offers, by `Major.Minor`. */
  readonly codecs: ReadonlyMap<string, Codec>;
  /** For lines of the library. */
  readonly logger: Logger;
  /** For lines of the application, which gets it with each call; `logger` unless given. */
  readonly callLogger?: Logger;
  /** In which version tasks were begun; without it requests that could be of several versions are taken for the first of them. */
  readonly taskVersions?: TaskVersionCache;
  /** How large requests may be in themselves; without it any size, as deep as the reader of JSON finds right. */
  readonly bounds?: Bounds;
  /** Take the version from method name or path when the request names none (VER-12). Off by default. */
  readonly inferVersion?: boolean;
  /** Operations on which required extensions are demanded: the two sends (default), or all but the card's (EXT-09). */
  readonly requireExtensionsOn?: "send" | "all";
  /**
   * Finds out who sends a request; without it, it is whoever the adapter says.
   * @param value what is held of the request meanwhile, as JSON
   * @throws A2AError UNAUTHENTICATED, PERMISSION_DENIED, and RATE_LIMITED or UNAVAILABLE when too much is held
   */
  readonly authenticate?: ((request: HttpRequest, value: unknown) => Promise<Principal>) | undefined;
  /** `WWW-Authenticate` of a refusal that brings none of its own (ERR-17). */
  readonly challenge?: string;
  /** Told of every caller who is turned away: not known, or not permitted. */
  readonly denied?: (error: A2AError, refused: RefusedRequest) => void;
}

/** A request that was not answered, as far as it got. */
export interface RefusedRequest {
  readonly request: HttpRequest;
  readonly operation?: { readonly name: OperationName } | undefined;
}
