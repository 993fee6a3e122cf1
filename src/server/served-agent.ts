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

/** An agent for the pipeline: its handler and interceptors, its card, the codecs of its versions, and options of the server. */
export interface ServedAgent {
  /** Path of the agent on the server; `""` at the root. */
  readonly path?: string;
  readonly handler: A2AHandler<CallContext>;
  /** Functions around every operation, the outermost first; none by default. */
  readonly interceptors?: readonly Interceptor[];
  /** The complete public card. Its capabilities and required extensions are enforced. */
  readonly card: AgentCard;
  /** The codec of each served version, by the name of the version. */
  readonly codecs: ReadonlyMap<string, Codec>;
  /** The logger of the library. */
  readonly logger: Logger;
  /** The logger that the application gets with each call; `logger` by default. */
  readonly callLogger?: Logger;
  /** The versions in which tasks were created; without it the first of several possible versions of a request is chosen. */
  readonly taskVersions?: TaskVersionCache;
  /** Limits on the size of a request; without it only those of the JSON parser are enforced. */
  readonly bounds?: Bounds;
  /** Derives the version from the method name or path if a request has none. Off by default. */
  readonly inferVersion?: boolean;
  /** Whether a repeated send gets the result of the first one. Off by default. */
  readonly idempotentSends?: boolean;
  /** Operations for which required extensions are checked: the two sends (default), or all except the one for the card. */
  readonly requireExtensionsOn?: "send" | "all";
  /** The media type of every HTTP+JSON response that is not a stream, instead of the choice by `Accept`. */
  readonly mediaType?: string | undefined;
  /** Limits the number of open streams; without it there is no limit. */
  readonly streams?: { take(call: CallContext): () => void };
  /**
   * Identifies the caller of a request, and counts the request for the rate limit. Without it, the caller is `request.principal`.
   * @param value the JSON value of the request, which is in memory meanwhile
   * @throws A2AError UNAUTHENTICATED, PERMISSION_DENIED, RATE_LIMITED for too many requests, RATE_LIMITED or UNAVAILABLE when requests
   *   take too much memory, UNAVAILABLE or INTERNAL_ERROR when the caller cannot be identified
   */
  readonly authenticate?: ((request: HostRequest, value: unknown) => Promise<Principal>) | undefined;
  /** `WWW-Authenticate` of an UNAUTHENTICATED error that has no challenge of its own. */
  readonly challenge?: string;
  /** Called for every request that fails in the pipeline, so that it can be counted and refused callers be audited. */
  readonly denied?: (error: A2AError, refused: DeniedRequest) => void;
}

/** A failed request, with its operation if that is known. */
export interface DeniedRequest {
  readonly request: HostRequest;
  readonly operation?: { readonly name: OperationName } | undefined;
}
