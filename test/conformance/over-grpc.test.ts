import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { probeAgent } from "../../examples/probe-agent/agent.js";
import { identity } from "../../examples/probe-agent/identity.js";
import { readSettings } from "../../examples/probe-agent/settings.js";
import { checkAgent } from "../../src/conformance/check-agent.js";
import type { ConformanceReport } from "../../src/conformance/report.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import { type ServeOptions, serve } from "../../src/server/index.js";
import { certify } from "../auth/certificates.js";

/** Serves the probe agent over all bindings; its URL. */
async function served(
  t: TestContext,
  env: Record<string, string>,
  { versions = [...new Set([protocolVersion, "1.0"] as const)], grpc }: ServeOptions = {},
): Promise<URL> {
  const settings = readSettings(env);
  const server = await serve(probeAgent(settings), {
    bindings: ["JSONRPC", "HTTP+JSON", "GRPC"],
    versions,
    grpc,
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
    "a gRPC message cannot express this request",
    "gRPC requests are messages: they have no method, path or body text",
    "gRPC requests have no query",
    "responses of gRPC are not cached",
    "the agent refuses webhooks on its own machine, as it should",
    "the card admits anonymous callers",
    "the card declares extendedAgentCard",
    "the card declares pushNotifications",
    "the card declares streaming",
    "the card requires no extension",
    "there are no credentials of a second caller",
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

test("AUTHN-01, G-13: a port of gRPC with TLS and an authority of its own gets the credentials", async (t) => {
  const { cert, key } = certify({ subject: { CN: "localhost" }, names: ["IP:127.0.0.1"] });
  const url = await served(t, { AUTH: "bearer" }, { grpc: { port: 0, tls: { cert, key } } });
  const report = await checkAgent(url, {
    only: ["OP-SEND-01"],
    credentials: { bearer: "alice-token" },
    grpc: { tls: { ca: cert } },
    responseTimeout: 60,
  });
  assert.deepEqual(
    report.checks.map(({ over, verdict, found }) => [over, verdict, found]),
    [
      ["JSONRPC", "met", undefined],
      ["HTTP+JSON", "met", undefined],
      ["GRPC", "met", undefined],
    ],
  );
});

test("GEN-01, GEN-05, GEN-07, GEN-08, GEN-13: the probe agent keeps generations over every binding", async (t) => {
  const url = await served(t, {}, { versions: ["1.1-draft", "1.0"] });
  const report = await checkAgent(url, { only: ["GEN"], protocol: "1.1-draft", responseTimeout: 60 });
  assert.equal(report.protocolVersion, "1.1-draft");
  assert.deepEqual(violated(report), []);
  const metOver = (binding: string) =>
    report.checks
      .filter(({ over, verdict }) => over === binding && verdict === "met")
      .flatMap(({ ids }) => ids)
      .filter((id) => id.startsWith("GEN"));
  const over = report.bindings.map((binding) => [binding, [...new Set(metOver(binding))].sort()]);
  const all = ["01", "02", "03", "04", "05", "06", "07", "08", "09", "13", "15", "17"].map(
    (id) => `GEN-${id}`,
  );
  assert.deepEqual(over, [
    ["JSONRPC", all],
    ["HTTP+JSON", [...all, "GEN-18"]],
    ["GRPC", all],
  ]);
});
