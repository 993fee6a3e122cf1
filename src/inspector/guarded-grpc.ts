import type { Http2Sessions } from "../client/transports/grpc/http2-sessions.js";
import { MAX_MESSAGE } from "../conformance/grpc-peer.js";
import type { AgentGuard } from "./agent-guard.js";

/** Sends the gRPC calls of a conformance run over connections to addresses that the guard has checked, one to each origin. */
export class GuardedGrpc {
  readonly #guard: AgentGuard;
  readonly #agent: string;
  readonly #sessions = new Map<string, Http2Sessions>();
  #isClosed = false;

  /** @param agent URL of the agent that the person has opened */
  constructor(guard: AgentGuard, agent: string) {
    this.#guard = guard;
    this.#agent = agent;
  }

  /**
   * Sends a call, as the function that `GrpcConnectOptions.wrap` gets.
   * @throws UrlRefused for a URL that the guard refuses; TypeError once it is closed; Error when a package of gRPC is missing
   */
  async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const connection = this.#guard.connectionTo({ url: String(input), agent: this.#agent });
    const { url } = connection;
    // Loaded with the first call, because the packages of gRPC may be missing.
    const { fetchOver, serviceAt, sessionsTo } = await import("./grpc-call.js");
    const service = await serviceAt(url);
    if (this.#isClosed) throw new TypeError("The connections of the run are closed");
    const sessions = this.#sessions.get(url.origin) ?? sessionsTo(connection);
    this.#sessions.set(url.origin, sessions);
    return fetchOver(sessions, service, { limit: MAX_MESSAGE, isStrict: true })(url, init);
  }

  /** Closes the connections, and refuses later calls and those that are still being prepared. */
  close(): void {
    this.#isClosed = true;
    for (const sessions of this.#sessions.values()) sessions.abort();
  }
}
