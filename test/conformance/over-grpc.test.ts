import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { probeAgent } from "../../examples/probe-agent/agent.js";
import { identity } from "../../examples/probe-agent/identity.js";
import { readSettings } from "../../examples/probe-agent/settings.js";
import { checkAgent } from "../../src/conformance/check-agent.js";
import type { ConformanceReport } from "../../src/conformance/report.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import { type ServerVersion, serve } from "../../src/server/index.js";

/** Serves the probe agent over all bindings; its URL. */
async function served(t: TestContext, env: Record<string, string>): Promise<URL> {
  const settings = readSettings(env);
  const server = await serve(probeAgent(settings), {
    bindings: ["JSONRPC", "HTTP+JSON", "GRPC"],
    versions: [...new Set([protocolVersion, "1.0"])] as ServerVersion[],
    auth: identity(settings).auth,
    ...(settings.push && { push: {} }),
    logger: false,
  });
  t.onTestFinished(() => server.close(0));
  return new URL(server.url);
}

function violated({ checks }: ConformanceReport): string[] {
  return checks
    .filter(({ verdict }) => verdict === "violated")
    .map(({ ids, over, claim, found }) => `${ids.join()} ${over}: ${claim}: ${found}`);
}

const isOverGrpc = ({ over }: { readonly over: string }) => over === "GRPC";

test("G-14: the probe agent meets every requirement over gRPC as well that a message can show", async (t) => {
  const report = await checkAgent(await served(t, {}), { responseTimeout: 60 });
  assert.deepEqual(violated(report), []);
  assert.deepEqual(report.bindings, ["JSONRPC", "HTTP+JSON", "GRPC"]);
  const checks = report.checks.filter(isOverGrpc);
  assert.ok(checks.filter(({ verdict }) => verdict === "met").length > 160);
  const reasons = new Set(
    checks.flatMap(({ verdict, found = "" }) => (verdict === "unprovoked" ? found : [])),
  );
  assert.deepEqual([...reasons].sort(), [
    "a message of gRPC cannot say this",
    "gRPC has messages, and no texts of its own",
    "gRPC has no query",
    "nothing on the way keeps answers of gRPC",
    "the agent calls no webhooks on this machine, which is as it should be",
    "the card admits anonymous callers",
    "the card declares extendedAgentCard",
    "the card declares pushNotifications",
    "the card declares streaming",
    "the card demands no extension",
    "the credentials of another caller were not given",
  ]);
});

test("G-24, G-33: a guarded agent refuses over gRPC what it refuses over JSON, and takes credentials on its other port", async (t) => {
  const guarded = { AUTH: "bearer", REQUIRED_EXTENSION: "https://example.com/extensions/needed/v1" };
  const report = await checkAgent(await served(t, { ...guarded, STREAMING: "off", PUSH: "off" }), {
    only: ["OP-STREAM", "OP-PUSH", "AUTHN", "AUTHZ", "EXT", "OP-SEND-13", "PAGE-10", "TURN-21"],
    credentials: { bearer: "alice-token" },
    otherCredentials: { bearer: "bob-token" },
    responseTimeout: 60,
  });
  assert.deepEqual(violated(report), []);
  const met = report.checks.filter((check) => isOverGrpc(check) && check.verdict === "met");
  const ids = new Set(met.flatMap((check) => check.ids));
  const wanted = ["AUTHN-01", "AUTHZ-02", "AUTHZ-01", "EXT-08", "EXT-10", "OP-PUSH-01", "OP-STREAM-02"];
  assert.deepEqual(
    wanted.filter((id) => !ids.has(id)),
    [],
  );
});
