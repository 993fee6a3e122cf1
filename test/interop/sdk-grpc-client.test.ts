import { afterAll, beforeAll } from "vitest";
import { probeAgent } from "../../examples/probe-agent/agent.js";
import { readSettings } from "../../examples/probe-agent/settings.js";
import { type RunningServer, serve } from "../../src/server/index.js";
import { sdkCompatTests, sdkGrpcTests } from "./sdk-client.js";

/** The published peer's client over gRPC, against the probe agent. */

let server: RunningServer;
beforeAll(async () => {
  server = await serve(probeAgent(readSettings({})), {
    bindings: ["JSONRPC", "HTTP+JSON", "GRPC"],
    push: {},
    versions: ["1.0", "0.3"],
  });
});
afterAll(() => server.close(0));

sdkGrpcTests(() => server.url);
sdkCompatTests(() => server.url);
