import assert from "node:assert/strict";
import { test } from "vitest";
import { checkAgent } from "../../src/conformance/check-agent.js";
import type { ConformanceReport } from "../../src/conformance/report.js";
import { serveProbe } from "../support/probe.js";

function found(report: ConformanceReport, verdict: string): string[] {
  return report.checks
    .filter((check) => check.verdict === verdict)
    .map(({ claim, found }) => `${claim}: ${found}`);
}

test("VER-08, LEG-02: the probe agent meets what earlier versions demand, each in its own shapes", async (t) => {
  const url = new URL(await serveProbe(t, { VERSIONS: "1.0,0.3,0.1" }));
  for (const protocol of ["0.3", "0.1"]) {
    const report = await checkAgent(url, { protocol, responseTimeout: 60 });
    assert.equal(report.protocolVersion, protocol);
    assert.deepEqual(found(report, "violated"), []);
    assert.deepEqual(found(report, "unprovoked"), []);
    assert.ok(report.checks.length >= 12);
  }
});

test("an agent that does not speak an earlier version, and versions that have no checks, are told apart from violations", async (t) => {
  const url = new URL(await serveProbe(t, { VERSIONS: "1.0" }));
  await assert.rejects(checkAgent(url, { protocol: "0.3" }), { code: "NO_INTERFACE" });
  await assert.rejects(checkAgent(url, { protocol: "0.2" }), { code: "INVALID_OPTION" });
});

test("a card of an earlier version says itself which checks are due", async () => {
  const card = { name: "Old", url: "http://127.0.0.1:9/", version: "1.0.0", capabilities: {}, skills: [] };
  for (const [more, version] of [
    [{ protocolVersion: "0.3.0" }, "0.3"],
    [{ authentication: { schemes: [] } }, "0.1"],
  ] as const) {
    const report = await checkAgent({ ...card, ...more }, { only: ["VER-08"], responseTimeout: 60 });
    assert.equal(report.protocolVersion, version);
    assert.match(found(report, "violated").join("\n"), /the connection failed/);
  }
});
