import type { Fetch } from "../../../client/exchange.js";
import { agentFetch } from "./agent-fetch.js";
import { agentUrl } from "./agent-url.js";

/** Calls interfaces of gRPC through the local server: browsers cannot. The bundle has this in the place of `#grpc`. */
function openThroughServer(): Promise<Fetch> {
  return Promise.resolve((input, init) =>
    agentFetch({ agent: agentUrl.value ?? new Request(input).url, over: "GRPC" })(input, init),
  );
}

// The name that the client imports.
export { openThroughServer as openGrpc };
