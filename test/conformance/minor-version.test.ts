import assert from "node:assert/strict";
import { test } from "vitest";
import { checkAgent } from "../../src/conformance/check-agent.js";
import { newestClientVersion } from "../../src/versions/client-codecs.js";
import { DRAFT_VERSION } from "../../src/versions/version.js";
import { serveProbe } from "../support/probe.js";

/** A minor version that nobody has, and what the agent behind it calls it. */
const other = "1.43";
const renamed = new Map([
  [other, newestClientVersion],
  [newestClientVersion, other],
]);
const pattern = new RegExp(`\\b(${[...renamed.keys()].join("|").replaceAll(".", "\\.")})(?!\\d)`, "g");
const swap = (text: string) => text.replace(pattern, (version) => renamed.get(version) ?? version);

/** Sends what it is given with the two versions in each other's place, and brings the answer back in the same way. */
const swapping: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  const version = headers.get("a2a-version");
  if (version !== null) headers.set("a2a-version", swap(version));
  const url = new URL(String(input));
  url.search = swap(url.search);
  const answer = await fetch(url, { ...init, headers });
  return new Response(swap(await answer.text()), answer);
};

test("VER-01, VER-05, VER-06, VER-10, VER-14: an agent of another minor version is asked in that one", async (t) => {
  const url = await serveProbe(t, { VERSIONS: newestClientVersion });
  const report = await checkAgent(new URL(url), { fetch: swapping, only: ["VER"], responseTimeout: 60 });
  assert.equal(report.protocolVersion, other);
  const failed = report.checks.filter(({ verdict }) => verdict !== "met");
  assert.deepEqual(
    failed.map(({ claim, over, found }) => `${claim} ${over}: ${found}`),
    [],
  );
  assert.ok(report.checks.length > 10);
});

test("GEN-12, CARD-10, VER-01, VER-14, VER-15: the name of a draft is no deviation, although it is not Major.Minor", async (t) => {
  const url = await serveProbe(t, { VERSIONS: DRAFT_VERSION });
  const report = await checkAgent(new URL(url), { only: ["CARD-10", "VER"], responseTimeout: 60 });
  assert.equal(report.protocolVersion, DRAFT_VERSION);
  const failed = report.checks.filter(({ verdict }) => verdict !== "met");
  assert.deepEqual(
    failed.map(({ claim, over, found }) => `${claim} ${over}: ${found}`),
    ["JSONRPC", "HTTP+JSON"].map(
      (over) => `a patch number in the version is ignored ${over}: a draft has no patch numbers`,
    ),
  );
});

test("CARD-14, LEG-03: the card of an agent of another minor version is asked for in that one, without members of earlier versions", async (t) => {
  const url = await serveProbe(t, { VERSIONS: `${newestClientVersion},0.3`, AUTH: "bearer" });
  const asked: (string | null)[] = [];
  const counting: typeof fetch = (input, init) => {
    asked.push(new Headers(init?.headers).get("a2a-version"));
    return swapping(input, init);
  };
  const options = { fetch: counting, only: ["CARD-14", "LEG-03"], responseTimeout: 60 };
  const { protocolVersion, checks } = await checkAgent(new URL(url), options);
  assert.equal(protocolVersion, other);
  assert.deepEqual(asked.slice(0, 2), [newestClientVersion, other]);
  const found = checks.filter(({ over }) => over === "card").map(({ ids, verdict }) => [ids.join(), verdict]);
  assert.deepEqual(found, [
    ["CARD-14", "met"],
    ["OBJT-05,LEG-03", "met"],
  ]);
});
