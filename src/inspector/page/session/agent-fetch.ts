import type { Fetch } from "../../../client/exchange.js";
import { WireRecorder } from "../wire/wire-recorder.js";
import { pageServer } from "./page-server.js";
import { sameOriginUrl } from "./same-origin-url.js";

/** All that went over the line since the page was opened. */
export const recorder = new WireRecorder();

/** Which agent requests are for. */
export interface AgentFetchOptions {
  /** URL of the agent that is open. */
  readonly agent: string;
  readonly over?: "GRPC";
  /** Receives the number of each exchange in the recorder. */
  readonly onExchange?: (id: number) => void;
}

/** A `fetch` that reaches agents from this page: through the local server, or same-origin when the page is mounted in a server. */
export function agentFetch({ agent, over, onExchange }: AgentFetchOptions): Fetch {
  return recorder.recording((watch) => {
    const server = pageServer.value;
    if (server.status !== "ready") throw new TypeError("The server of this page is not there");
    const { connection, session } = server;
    if (connection !== undefined)
      return connection.fetchFor({ agent, watch, ...(over !== undefined && { over }) });
    return (input, init) => fetch(sameOriginUrl(new Request(input).url, session, location.href), init);
  }, onExchange);
}
