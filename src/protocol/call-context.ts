import type { Logger } from "./logger.js";
import type { TraceContext } from "./trace-context.js";

/** Who calls. Without authentication every caller is the same anonymous principal (§13.1). */
export interface Principal {
  /**
   * Stable and unique; owner of the tasks that the caller makes. `""` is the anonymous caller. Of a caller who had to identify
   * itself by several schemes at once: all ids in the order of the card, percent-encoded and joined by `&`.
   */
  readonly id: string;
  /** Name of the security scheme that vouched for the caller, or several joined by `&`; absent for the anonymous one. */
  readonly scheme?: string;
  /** Scopes that the credentials carry. */
  readonly scopes?: readonly string[];
  /** Verified claims of a token, as they were. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Who each scheme says it is, when several vouched for the caller together. */
  readonly identities?: readonly Principal[];
}

/** The caller of an agent without authentication. */
export const anonymous: Principal = Object.freeze({ id: "" });

/**
 * What the edge found out about a request, once: below it nobody looks at a header. One object per request, handed to the
 * handler with the operation's request (§3.2.6).
 */
export interface CallContext {
  /** Opaque tenant from path, body or query; `""` when there is none (§8.3.2). */
  readonly tenant: string;
  readonly principal: Principal;
  /** Request headers in lower case, as Node gives them (§3.2.6). */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Extensions that the caller asked for and the agent declares, in the order of the request. */
  readonly extensions: ReadonlySet<string>;
  /** `Major.Minor` in which the caller speaks. */
  readonly version: string;
  /** Absolute URL at which the caller reaches the agent, without a slash at its end. */
  readonly agentUrl: string;
  /** Generation after which a resuming stream continues; absent for a fresh one. */
  readonly after?: number;
  /** Idempotency key of the request, when the caller sent one. */
  readonly idempotencyKey?: string;
  /** The caller names tasks: a message for one that is not there begins it under that name. Only older versions know this. */
  readonly clientTaskIds?: boolean | undefined;
  /** The caller knows no plain messages as answers: what the agent says so becomes a completed task. */
  readonly tasksOnly?: boolean | undefined;
  /** The caller reads the answer as a stream of events. */
  readonly streaming?: boolean | undefined;
  /** Metadata of a request that has no place for it in the newest version, as reads of older versions may have. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Where the call stands in a trace: for whatever is asked of others because of it. Undefined when it is in none. */
  readonly trace?: TraceContext | undefined;
  /** IP address of the caller, or of the last proxy on the way that is not trusted; undefined when it is not known. */
  readonly address?: string | undefined;
  /** Aborts when the caller has gone away. A task does not end with its caller: only streams look at this. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
}
