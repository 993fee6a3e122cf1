import type { Logger } from "./logger.js";
import type { TraceContext } from "./trace-context.js";

/** The caller of an operation. Without authentication every caller is the same anonymous principal (§13.1). */
export interface Principal {
  /**
   * Stable and unique; owner of the tasks that the caller creates, unless `auth.scope` says otherwise. `""` is the anonymous caller. A
   * caller that was authenticated by several schemes together has all their ids, in the order of the card, percent-encoded and joined by
   * `&`.
   */
  readonly id: string;
  /**
   * Name of the security scheme that authenticated the caller, or several joined by `&`; absent for the anonymous
   * caller. If the application identifies callers itself, it is what the application has set.
   */
  readonly scheme?: string;
  /** Scopes of the credentials; those of all schemes when several authenticated the caller together. */
  readonly scopes?: readonly string[];
  /** Verified claims of a token, unchanged. When several schemes authenticated the caller together, they are in `identities`. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** One principal per scheme, when several schemes authenticated the caller together. */
  readonly identities?: readonly Principal[];
}

/** The caller of a request that was not authenticated. */
export const anonymous: Principal = Object.freeze({ id: "" });

/**
 * Facts about a request, which the server determines before interceptors and handler run, so that these need not interpret
 * headers. One per request, passed to the handler with the operation's request (§3.2.6).
 */
export interface CallContext {
  /** Opaque tenant from path, body or query; `""` when there is none (§8.3.2). */
  readonly tenant: string;
  /** The caller. */
  readonly principal: Principal;
  /** Request headers, with names in lower case, as Node gives them (§3.2.6). */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Extensions that the caller requested and the agent declares, in the order of the request. */
  readonly extensions: ReadonlySet<string>;
  /** Protocol version of the request: `Major.Minor`, or the name of a draft (`1.1-draft`) or dialect (`0.1-flat`). */
  readonly version: string;
  /** Absolute URL at which the caller reaches the agent, without a trailing slash. */
  readonly agentUrl: string;
  /** Generation after which a resuming stream continues; absent for a fresh one. */
  readonly after?: number;
  /** Idempotency key of the request, when the caller sent one. */
  readonly idempotencyKey?: string;
  /** The caller assigns task ids: a message for an unknown task creates it with that id. Older versions only. */
  readonly clientTaskIds?: boolean | undefined;
  /** The caller does not accept plain messages as answers: a reply becomes a completed task. Older versions only. */
  readonly tasksOnly?: boolean | undefined;
  /** The version of the caller has generations: tasks in answers carry theirs. Drafts only. */
  readonly generations?: boolean | undefined;
  /** The caller reads the answer as a stream of events. */
  readonly streaming?: boolean | undefined;
  /** Metadata of a request that has no such member in the newest version, as in older versions' reads. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** Trace context of the call, to be passed on to requests that it causes. Undefined without a trace. */
  readonly trace?: TraceContext | undefined;
  /** Length of the request's body in characters; undefined when unknown. */
  readonly bodyLength?: number | undefined;
  /**
   * IP address of the caller: the other end of the connection or, with `trustProxy`, the last address that the proxy names.
   * Undefined when unknown.
   */
  readonly address?: string | undefined;
  /**
   * Aborts when the caller disconnects before the response is complete, or when the server cuts the response off. Streams,
   * reads that wait for a change of a task, and sends that wait for a free slot then end. The execution of a task does not
   * watch it, because a task outlives its caller.
   */
  readonly signal: AbortSignal;
  /** The server's logger, without the limits of the library's own lines. */
  readonly logger: Logger;
}
