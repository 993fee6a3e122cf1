import assert from "node:assert/strict";
import { test } from "vitest";
import { checkAgent } from "../../src/conformance/check-agent.js";
import type { ConformanceReport } from "../../src/conformance/report.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import { serveProbe } from "../support/probe.js";
import { callers } from "./spoiled.js";

/** Checks that found something, in a line each. */
function found(report: ConformanceReport, verdict: string): string[] {
  return report.checks
    .filter((check) => check.verdict === verdict)
    .map(({ ids, over, claim, found }) => `${ids.join()} ${over}: ${claim}: ${found}`);
}

test("the probe agent meets every requirement that can be seen from outside", async (t) => {
  // What a request without a version gets can only be seen where 0.3 is not served.
  const env = { VERSIONS: [...new Set([protocolVersion, "1.0"])].join() };
  const report = await checkAgent(new URL(await serveProbe(t, env)), { responseTimeout: 60 });
  assert.deepEqual(found(report, "violated"), []);
  assert.deepEqual(report.bindings, ["JSONRPC", "HTTP+JSON"]);
  const reasons = new Set(
    report.checks.flatMap(({ verdict, found }) => (verdict === "unprovoked" ? found : [])),
  );
  assert.deepEqual([...reasons].sort(), [
    "the agent is on this machine, where TLS is not needed",
    "the agent refuses webhooks on its own machine, as it should",
    "the card admits anonymous callers",
    "the card declares extendedAgentCard",
    "the card declares pushNotifications",
    "the card declares streaming",
    "the card has no OAuth scheme",
    "the card has no security requirements",
    "the card is not signed",
    "the card requires no extension",
    "there are no credentials of a second caller",
  ]);
  assert.ok((report.counts.MUST?.met ?? 0) > 180);
  for (const { verdict, exchanges } of report.checks.filter(({ over }) => over !== "card"))
    assert.ok(verdict === "unprovoked" || exchanges.length > 0);
});

test("what a small and guarded probe agent does not offer is refused as it must be", async (t) => {
  const env = { STREAMING: "off", PUSH: "off", EXTENDED_CARD: "off", AUTH: "bearer" };
  const url = new URL(
    await serveProbe(t, { ...env, REQUIRED_EXTENSION: "https://example.com/extensions/needed/v1" }),
  );
  const only = ["OP-STREAM", "OP-PUSH", "OP-XCARD", "AUTHN", "ERR-17", "ERR-18", "EXT", "OP-SEND-13", "CARD"];
  const credentials = { bearer: "alice-token" };
  const report = await checkAgent(url, { only, credentials, responseTimeout: 60 });
  assert.deepEqual(found(report, "violated"), []);
  const met = new Set(report.requirements.filter(({ verdict }) => verdict === "met").map(({ id }) => id));
  const wanted = [
    "EXT-10",
    "EXT-06",
    "OP-STREAM-02",
    "OP-PUSH-01",
    "OP-SEND-13",
    "OP-XCARD-01",
    "AUTHN-01",
    "ERR-18",
    "EXT-08",
  ];
  assert.deepEqual(
    wanted.filter((id) => !met.has(id)),
    [],
  );
  assert.ok(!JSON.stringify(report).includes("alice-token"));
});

test("two callers see nothing of each other, and notifications are seen where the agent may call a webhook here", async (t) => {
  const url = new URL(await serveProbe(t, { ALLOW_PRIVATE_WEBHOOKS: "on", AUTH: "bearer" }));
  const only = ["PUSH", "DISC", "AUTHZ", "ERR-19", "PAGE-10", "TURN-21", "EXEC-04"];
  const report = await checkAgent(url, { only, ...callers, responseTimeout: 60 });
  assert.deepEqual(found(report, "violated"), []);
  assert.deepEqual(found(report, "unprovoked"), []);
  assert.ok(!/(alice|bob)-token/.test(JSON.stringify(report)));
});
