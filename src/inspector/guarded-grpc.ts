import type { Http2SessionManager } from "@connectrpc/connect-node";
import { grpcFetch } from "../client/transports/grpc/grpc-fetch.js";
import { nodeTransport } from "../client/transports/grpc/node-transport.js";
import { MAX_MESSAGE } from "../conformance/grpc-peer.js";
import type { AgentGuard } from "./agent-guard.js";
import { serviceAt, sessionsTo } from "./grpc-call.js";

/** Sends the gRPC calls of a conformance run over connections to addresses that the guard has checked, one to each origin. */
export class GuardedGrpc {
  readonly #guard: AgentGuard;
  readonly #agent: string;
  readonly #sessions = new Map<string, Http2SessionManager>();

  /** @param agent URL of the agent that the person has opened */
  constructor(guard: AgentGuard, agent: string) {
    this.#guard = guard;
    this.#agent = agent;
  }

  /** Sends a call, as the function that `GrpcConnectOptions.wrap` gets. @throws UrlRefused for a URL that the guard refuses */
  async fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const connection = this.#guard.connectionTo({ url: String(input), agent: this.#agent });
    const { url } = connection;
    const service = await serviceAt(url);
    const sessions = this.#sessions.get(url.origin) ?? sessionsTo(connection);
    this.#sessions.set(url.origin, sessions);
    const options = { tls: undefined, limit: MAX_MESSAGE, isStrict: true, sessions };
    return grpcFetch(service, (base) => nodeTransport(base, options), options)(url, init);
  }

  /** Closes the connections. */
  close(): void {
    for (const sessions of this.#sessions.values()) sessions.abort();
  }
}
