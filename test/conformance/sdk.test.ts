import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { checkAgent } from "../../src/conformance/check-agent.js";
import type { Scenario } from "../../src/conformance/scenarios.js";
import { serveSdkAgent } from "../client/sdk-agent.js";
import { serveOldSdkAgent } from "../interop/sdk-0.3-agent.js";

/** Texts that bring the agents of both SDKs into situations. */
const hints: [Scenario, string][] = [
  ["message", "say hello"],
  ["completed", "count 1"],
  ["artifact", "count 2"],
  ["chunks", "count 5"],
  ["input-required", "ask"],
  ["working", "wait"],
];

test("an agent of the reference SDK for JavaScript: what it does not do is listed, what it does is not", async (t) => {
  for (const name of ["error", "warn", "info", "log"] as const)
    vi.spyOn(console, name).mockImplementation(() => undefined);
  const { url } = await serveSdkAgent(t);
  const only = ["OP-SEND", "OBJ", "JSONV", "RPC", "PAGE", "OP-LIST", "OP-GET", "OP-PUSH", "OP-STREAM", "ERR"];
  const report = await checkAgent(new URL(url), { hints: new Map(hints), only, responseTimeout: 60 });
  const having = (verdict: string) =>
    report.requirements.filter((row) => row.verdict === verdict).map(({ id }) => id);
  const missing = (wanted: readonly string[], list: readonly string[]) =>
    wanted.filter((id) => !list.includes(id));
  // Messages without parts, parts without content, roles of nobody, webhooks that point inward: all of it is taken.
  const known = ["OBJ-04", "OBJ-06", "OP-SEND-19", "JSONV-07", "JSONV-14", "OP-PUSH-07", "SEC-04"];
  assert.deepEqual(missing(known, having("violated")), []);
  const sound = ["OP-SEND-01", "OP-SEND-04", "OP-GET-04", "OP-STREAM-04", "OP-STREAM-07", "RPC-07", "ERR-08"];
  assert.deepEqual(missing(sound, having("met")), []);
  const unseen = report.checks.filter(({ verdict }) => verdict === "unprovoked");
  assert.ok(unseen.some(({ found }) => found?.includes('no message brought the agent to "thrown"')));
  assert.ok(unseen.some(({ found }) => found?.includes("the card lists only text/plain")));
});

test("an agent of that SDK in 0.3 is held against 0.3, and does what that says but for one refusal", async (t) => {
  for (const name of ["error", "warn", "info", "log"] as const)
    vi.spyOn(console, name).mockImplementation(() => undefined);
  const { url } = await serveOldSdkAgent(t);
  const report = await checkAgent(new URL(url), { hints: new Map(hints), responseTimeout: 60 });
  assert.equal(report.protocolVersion, "0.3");
  const claims = (verdict: string) =>
    report.checks.filter((check) => check.verdict === verdict).map(({ claim }) => claim);
  assert.deepEqual(claims("violated"), ["message/send without a message is refused"]);
  assert.deepEqual(claims("unprovoked"), []);
});
