import type { CallContext, Principal } from "../protocol/call-context.js";
import type { A2AError } from "../protocol/errors.js";
import type { Logger } from "../protocol/logger.js";
import type { AgentCard } from "../protocol/model.js";
import type { A2AHandler, OperationName } from "../protocol/operations.js";
import type { Codec } from "../versions/codec.js";
import type { Bounds } from "./bounds.js";
import type { HostRequest } from "./host.js";
import type { Interceptor } from "./interceptors/interceptor.js";
import type { TaskVersionCache } from "./task-versions.js";

/** An agent as the pipeline sees it: what answers, what surrounds it, what it declares, which versions it speaks. */
export interface ServedAgent {
  /** Path of the agent on the server; `""` at the root. */
  readonly path?: string;
  readonly handler: A2AHandler<CallContext>;
  /** Around every operation, the outermost first; none unless given. */
  readonly interceptors?: readonly Interceptor[];
  /** The public card, complete: capabilities and extensions declared here are what is enforced. */
  readonly card: AgentCard;
  /** Codec of every version that is served, by `Major.Minor`. */
  readonly codecs: ReadonlyMap<string, Codec>;
  /** For lines of the library. */
  readonly logger: Logger;
  /** For lines of the application, which gets it with each call; `logger` unless given. */
  readonly callLogger?: Logger;
  /** In which version tasks were begun; without it requests that could be of several versions are taken for the first of them. */
  readonly taskVersions?: TaskVersionCache;
  /** How large requests may be in themselves; without it any size, as deep as the reader of JSON finds right. */
  readonly bounds?: Bounds;
  /** Take the version from method name or path when the request names none. Off by default. */
  readonly inferVersion?: boolean;
  /** Operations on which required extensions are checked: the two sends (default), or all but the card's. */
  readonly requireExtensionsOn?: "send" | "all";
  /** One media type for every HTTP+JSON answer, instead of the choice by `Accept`. */
  readonly mediaType?: string | undefined;
  /** Places of open streams; without it any number may be open. */
  readonly streams?: { take(call: CallContext): () => void };
  /**
   * Finds out who sends a request, and counts the request against the rate limit of its caller; without it, the caller is the one
   * that the host names.
   * @param value what is held of the request meanwhile, as JSON
   * @throws A2AError UNAUTHENTICATED, PERMISSION_DENIED, and RATE_LIMITED or UNAVAILABLE when too much is held
   */
  readonly authenticate?: ((request: HostRequest, value: unknown) => Promise<Principal>) | undefined;
  /** `WWW-Authenticate` of a refusal that brings none of its own. */
  readonly challenge?: string;
  /** Told of every caller who is turned away: not known, or not permitted. */
  readonly denied?: (error: A2AError, refused: DeniedRequest) => void;
}

/** A request that was not answered, as far as it got. */
export interface DeniedRequest {
  readonly request: HostRequest;
  readonly operation?: { readonly name: OperationName } | undefined;
}
