import assert from "node:assert/strict";
import { test } from "vitest";
import type { CheckResult } from "../../../src/conformance/report.js";
import { byRequirement, verdictCounts } from "../../../src/inspector/page/conformance/by-requirement.js";
import { recordedExchanges } from "../../../src/inspector/page/recordings/record-exchange.js";
import { pushConfigFor, settingsOf } from "../../../src/inspector/page/webhooks/webhook-list.js";
import type { WireExchange } from "../../../src/inspector/page/wire/wire-exchange.js";
import { FrameSplitter } from "../../../src/inspector/page/wire/wire-frame.js";
import { eventsIn } from "../../../src/recording/recorded-events.js";

test("a requirement is violated if any check is, and those that are violated come first", () => {
  const check = (verdict: CheckResult["verdict"], ...ids: string[]): CheckResult => ({
    ...{ ids, claim: "c", over: "JSONRPC", verdict, exchanges: [] },
  });
  const found = byRequirement([
    check("met", "B-01", "A-01"),
    check("unprovoked", "C-01"),
    check("violated", "B-01"),
    check("unprovoked", "A-01"),
  ]);
  assert.deepEqual(
    found.map(({ id, verdict, checks }) => [id, verdict, checks.length]),
    [
      ["B-01", "violated", 2],
      ["A-01", "met", 2],
      ["C-01", "unprovoked", 1],
    ],
  );
  assert.deepEqual(verdictCounts(found), { violated: 1, met: 1, unprovoked: 1 });
});

test("an exchange of the wire is recorded with the times of its events", () => {
  const splitter = new FrameSplitter();
  const texts = ['id: 1\ndata: {"a":1}\n\n', ': ping\n\nid: 2\ndata: {"a":2}\n\n'];
  const frames = texts.flatMap((text, index) => splitter.push(text, (index + 1) * 10));
  const exchange: WireExchange = {
    ...{ id: 4, purpose: "SendStreamingMessage", method: "POST", url: "http://a/", startedAt: 1000 },
    requestHeaders: [["a2a-version", "1.0"]],
    requestBody: "{}",
    response: { status: 200, statusText: "", headers: [["content-type", "text/event-stream"]], at: 5 },
    chunks: texts.map((text) => new TextEncoder().encode(text)),
    ...{ size: 9, isCut: false, frames, frameCount: 3, endedAt: 30, failure: "cut", grpc: undefined },
  };
  const [first, second] = recordedExchanges([exchange, { ...exchange, startedAt: 1500 }]);
  assert.equal(first?.answer, texts.join(""));
  assert.deepEqual(first?.times?.started, 0);
  assert.deepEqual(second?.times?.started, 500);
  assert.equal(first?.failure, "cut");
  const [long] = recordedExchanges([{ ...exchange, isCut: true, failure: undefined }]);
  assert.match(long?.failure ?? "", /only the first 8 MiB/);
  assert.deepEqual(
    eventsIn(first as NonNullable<typeof first>).map(({ id, at, value }) => [id, at, value]),
    [
      ["1", 10, { a: 1 }],
      ["2", 20, { a: 2 }],
    ],
  );
});

test("a task notifies a webhook with what the webhook demands", () => {
  const webhook = {
    id: "w",
    url: "http://127.0.0.1/hooks/w",
    calls: 3,
    token: "t",
    authorization: "Bearer a b",
  };
  assert.deepEqual(pushConfigFor(webhook), {
    ...{ url: webhook.url, token: "t" },
    authentication: { scheme: "Bearer", credentials: "a b" },
  });
  assert.deepEqual(pushConfigFor({ id: "w", url: "u", calls: 0 }), { url: "u" });
  assert.deepEqual(settingsOf(webhook), { token: "t", authorization: "Bearer a b" });
});
