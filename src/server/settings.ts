import type { AuthOptions } from "../auth/auth-options.js";
import type { IncomingRequest } from "../auth/incoming-request.js";
import type { CardKey } from "../card/sign-card.js";
import type { Complete } from "../json/omit.js";
import type { AuditEvent } from "../observability/audit-event.js";
import type { Telemetry } from "../observability/telemetry.js";
import type { Logger } from "../protocol/logger.js";
import type { BindingName } from "../protocol/operations.js";
import type { PushOptions } from "../push/options.js";
import type { TaskStore } from "../stores/task-store.js";
import type { ServerVersion } from "../versions/codecs.js";
import type { GuardedHooks } from "./guarded-hooks.js";
import type { Interceptor } from "./interceptors/interceptor.js";
import type { Limits } from "./limits.js";
import type { RateLimit, RateLimiter } from "./rate-limits.js";

/**
 * Options of `serve` and `createApp`. All of them are optional.
 *
 * @example
 * ```ts
 * const server = await serve(agent, { port: 4000, versions: ["1.0"], logger: pino() });
 * ```
 */
export interface ServerOptions {
  /**
   * Where tasks are kept; in memory by default. Agents with different paths that share a store do not see each other's tasks.
   * @example `serve(agent, { store: new SqliteStore({ file: "tasks.db" }) })`
   */
  readonly store?: TaskStore | undefined;
  /**
   * Seconds until other processes on the same store take over the tasks and webhooks of a process that has died; 15 by default.
   * @example `serve(agent, { store, leaseTime: 30 })`
   */
  readonly leaseTime?: number | undefined;
  /**
   * Receives the log. By default warnings and errors are written to stderr, with the cause and the stack of an executor that threw; false
   * writes nothing. Responses do not depend on it.
   * @example `serve(agent, { logger: pino() })`
   */
  readonly logger?: Logger | false | undefined;
  /**
   * Absolute URL of the server for callers, as cards show it. By default the address that `serve` listens on; in an application, on all
   * network interfaces, and with `trustProxy` it is taken from the headers of each request. It includes the path at which an application
   * has mounted the agents, but not the paths of agents by path.
   * @example `serve(agent, { publicUrl: "https://agent.example.com" })`
   */
  readonly publicUrl?: string | undefined;
  /**
   * Trusts `Forwarded` and `X-Forwarded-*`. Only for servers behind a proxy that sets them; off by default.
   * @example `serve(agent, { trustProxy: true })`
   */
  readonly trustProxy?: boolean | undefined;
  /**
   * Paths of the bindings, relative to the agent; both `/` by default. The card lists the first JSON-RPC path.
   * @example `serve(agent, { paths: { jsonRpc: ["/", "/a2a"], httpJson: "/rest" } })`
   */
  readonly paths?:
    | { readonly jsonRpc?: string | readonly string[] | undefined; readonly httpJson?: string | undefined }
    | undefined;
  /**
   * Bindings to serve, the preferred one first; JSON-RPC and HTTP+JSON by default. gRPC needs `serve`, which has a port for it.
   * @example `serve(agent, { bindings: ["JSONRPC", "HTTP+JSON", "GRPC"] })`
   */
  readonly bindings?: readonly BindingName[] | undefined;
  /**
   * Protocol versions to serve, the preferred one first. By default those in `supportedInterfaces` of an agent's card that this package can
   * serve; if there are none, 1.x and 0.3, which is the version of requests that name none (§3.6.2).
   * @example `serve(agent, { versions: ["1.0", "0.3", "0.1"] })`
   */
  readonly versions?: readonly ServerVersion[] | undefined;
  /**
   * Derives the version from method name or path when a request names none (§3.6.2). Off by default.
   * @example `serve(agent, { inferVersion: true })`
   */
  readonly inferVersion?: boolean | undefined;
  /**
   * Operations that refuse callers without a required extension: the two sends (default), or all except the one for the card.
   * @example `serve(agent, { requireExtensionsOn: "all" })`
   */
  readonly requireExtensionsOn?: "send" | "all" | undefined;
  /**
   * The media type of every HTTP+JSON response that is not a stream, instead of a choice by `Accept`.
   * @example `serve(agent, { mediaType: "application/json" })`
   */
  readonly mediaType?: string | undefined;
  /**
   * Limits on what callers can send or make the server hold.
   * @example `serve(agent, { limits: { body: 64 * 1024, tasksPerPrincipal: 20 } })`
   */
  readonly limits?: Limits | undefined;
  /**
   * Requests per caller and time, or a limiter that decides; unlimited by default.
   * @example `serve(agent, { rateLimit: { requests: 30, seconds: 10 } })`
   */
  readonly rateLimit?: RateLimit | RateLimiter | undefined;
  /**
   * Functions around every operation of every agent, the first one outermost. They run after authentication and rate limits, and before
   * `authorize`.
   * @example `serve(agent, { interceptors: [timing] })`
   */
  readonly interceptors?: readonly Interceptor[] | undefined;
  /**
   * Receives spans and measurements.
   * @example `serve(agent, { telemetry: openTelemetry({ tracer, meter }) })`
   */
  readonly telemetry?: Telemetry | undefined;
  /**
   * Serves metrics at `/metrics` of the server. Only `allow` decides who may read them; their readers are not authenticated. To serve them
   * on another port, use `openPrometheus`.
   * @example `serve(agent, { telemetry, metrics: { read, allow: ({ address }) => address === "10.0.0.9" } })`
   */
  readonly metrics?: MetricsOptions;
  /**
   * Called for created tasks, state changes, refused callers and webhook calls.
   * @example `serve(agent, { audit: (event) => trail.push(event) })`
   */
  readonly audit?: ((event: AuditEvent) => void) | undefined;
  /**
   * What happens to executors when the server closes: `"abort"` (default) aborts them after pending responses are sent, `"finish"` lets
   * them finish within the same grace.
   * @example `serve(agent, { whenClosing: "finish" })`
   */
  readonly whenClosing?: "abort" | "finish" | undefined;
  /**
   * How callers are authenticated, and what they may access. By default callers are anonymous unless the card requires more.
   * @example `serve(agent, { auth: { verifiers: { bearer: verifyToken } } })`
   */
  readonly auth?: AuthOptions | undefined;
  /**
   * Enables push notifications; `{}` is enough. The store must implement `PushStore`, as those of this package do.
   * @example `serve(agent, { push: {} })`
   */
  readonly push?: PushOptions | undefined;
  /**
   * Origins whose pages may call the operations: a list, or `"*"` or true for any; none by default. Cards are readable from every origin.
   * @example `serve(agent, { cors: ["https://app.example.com"] })`
   */
  readonly cors?: true | "*" | readonly string[] | undefined;
  /**
   * Seconds of silence after which an open stream gets a comment; 15 by default. The comment comes after up to twice as long. A stream
   * without an event gets its first comment after 10 seconds at most.
   * @example `serve(agent, { heartbeat: 5 })`
   */
  readonly heartbeat?: number | undefined;
  /**
   * Shows the OpenAPI document of each agent on a page at `/docs`, below its path. Needs the package `swagger-ui-dist`, and an agent with
   * HTTP+JSON in the newest version; off by default.
   * @example `serve(agent, { docs: true })`
   */
  readonly docs?: boolean | undefined;
  /**
   * Shows browsers a page at the URL of each agent with its card and how to call it, and a list of agents at the root of a server that has
   * no agent there. Only requests that prefer HTML get a page. On by default.
   * @example `serve(agent, { page: false })`
   */
  readonly page?: boolean;
  /**
   * Serves a list of all agents at `/.well-known/ai-catalog.json`, in the form of the AI Catalog draft; off by default.
   * @example `serve({ "/echo": agent }, { catalog: true })`
   */
  readonly catalog?: boolean | undefined;
  /**
   * Seconds for which a card may be cached; 300 by default (§8.6.1).
   * @example `serve(agent, { cardMaxAge: 60 })`
   */
  readonly cardMaxAge?: number | undefined;
  /**
   * Keys that sign the public cards; two of them during a rotation. Needs a URL that is known at the start (§8.4).
   * @example `serve(agent, { cardKeys: [{ key, kid: "2025-01", alg: "ES256" }] })`
   */
  readonly cardKeys?: readonly CardKey[] | undefined;
}

/** Metrics at a path of the server. */
export interface MetricsOptions {
  /** The metrics in the text form of Prometheus; `read` of `openPrometheus`, for example. */
  readonly read: () => string | Promise<string>;
  /** Decides who may read them. The request has the address of the caller and the headers. `"everyone"` means the whole network. */
  readonly allow: "everyone" | ((request: IncomingRequest) => boolean | Promise<boolean>);
}

/** {@link ServerOptions} with their defaults. */
export interface ServerSettings extends GuardedHooks {
  readonly store: TaskStore;
  readonly leaseTime: number;
  readonly publicUrl: string | undefined;
  readonly trustProxy: boolean;
  readonly jsonRpcPaths: readonly string[];
  readonly httpJsonPath: string;
  readonly bindings: readonly BindingName[];
  /** Undefined if the card of each agent decides. */
  readonly versions: readonly string[] | undefined;
  readonly inferVersion: boolean;
  readonly requireExtensionsOn: "send" | "all";
  readonly mediaType: string | undefined;
  readonly limits: Complete<Limits>;
  readonly rateLimit: RateLimit | RateLimiter | undefined;
  readonly whenClosing: "abort" | "finish";
  readonly push: PushOptions | undefined;
  readonly cors: true | readonly string[];
  readonly heartbeat: number;
  readonly docs: boolean;
  readonly page: boolean;
  readonly catalog: boolean;
  readonly metrics: MetricsOptions | undefined;
  readonly cardMaxAge: number;
  readonly cardKeys: readonly CardKey[];
}
