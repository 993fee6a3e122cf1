import assert from "node:assert/strict";
import { test } from "vitest";
import { artifact, completed, type Executor, inputRequired, working } from "../../src/index.js";
import type { AuditEvent, Readings, Span, SpanStart, Telemetry } from "../../src/server/index.js";
import { near } from "../push/desk.js";
import { Webhook } from "../push/webhook.js";
import { plainCard, serveFor, text } from "../support/peer.js";

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const inline = (url: string) => ({ configuration: { taskPushNotificationConfig: { url } } });

const work: Executor = async function* ({ task }) {
  yield working();
  yield artifact().text("x");
  if (task === undefined) yield inputRequired("more?");
  else yield completed();
};

test("SVC-08: the trace of the request that led to an event goes out with its notification", async (t) => {
  const webhook = await Webhook.open(t);
  const server = await serveFor(t, { card: plainCard, execute: work }, { push: near });
  const traced = { traceparent: parent, tracestate: "vendor=1" };
  const { result } = await server.rpc.call("SendMessage", text("go", inline(webhook.url())), traced);
  await webhook.count(3);
  const other = parent.replace("b7ad6b7169203331", "c7ad6b7169203331");
  const followUp = text("that", { message: { taskId: result.task.id } });
  await server.rest.call("SendMessage", followUp, { traceparent: other });
  await webhook.until(() => webhook.arrivals.some(({ body }) => body.includes("TASK_STATE_COMPLETED")));
  const seen = webhook.arrivals.map(({ headers }) => [headers.traceparent, headers.tracestate]);
  assert.deepEqual(seen.slice(0, 3), Array(3).fill([parent, "vendor=1"]));
  assert.ok(seen.length > 3);
  for (const trace of seen.slice(3)) assert.deepEqual(trace, [other, undefined]);
});

test("without a trace nothing is made up", async (t) => {
  const webhook = await Webhook.open(t);
  const server = await serveFor(t, { card: plainCard, execute: work }, { push: near });
  await server.rpc.call("SendMessage", text("go", inline(webhook.url())));
  await webhook.count(3);
  for (const { headers } of webhook.arrivals) assert.equal(headers.traceparent, undefined);
});

test("SEC-17: every call of a webhook is a span, a count and an audit event; its URL is in none of them", async (t) => {
  const webhook = await Webhook.open(t);
  webhook.answer = () => (webhook.arrivals.length === 1 ? 500 : 204);
  const told: unknown[] = [];
  const spans: [string, SpanStart, unknown][] = [];
  let read: (() => Readings | Promise<Readings>) | undefined;
  const telemetry: Telemetry = {
    begin(name, start): Span {
      const traceparent = parent.replace("b7ad6b7169203331", `${spans.length + 1}`.padStart(16, "0"));
      const entry: [string, SpanStart, unknown] = [name, start, undefined];
      spans.push(entry);
      return {
        trace: { traceparent },
        run: (body) => body(),
        annotate: () => undefined,
        end: (failure) => {
          entry[2] = failure?.code ?? "ok";
        },
      };
    },
    count: (name, attributes) => told.push([name, attributes]),
    time: () => undefined,
    observe(reading) {
      read = reading;
      return () => undefined;
    },
  };
  const events: AuditEvent[] = [];
  const server = await serveFor(
    t,
    { card: plainCard, execute: work },
    { push: near, telemetry, audit: (event) => events.push(event) },
  );
  const { result } = await server.rpc.call("SendMessage", text("go", inline(webhook.url("/secret-path"))), {
    traceparent: parent,
  });
  await webhook.count(4);
  const deliveries = () => events.filter((event) => event.kind === "delivery");
  while (deliveries().length < 4) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    deliveries().map(({ outcome, generation, taskId }) => [outcome, generation, taskId]),
    [
      ["retry", 1, result.task.id],
      ["delivered", 1, result.task.id],
      ["delivered", 2, result.task.id],
      ["delivered", 3, result.task.id],
    ],
  );
  const sent = spans.filter(([name]) => name === "a2a.delivery");
  assert.deepEqual(
    sent.map(([, , end]) => end),
    ["retry", "ok", "ok", "ok"],
  );
  // The operation is the first span: what its executor gave is delivered in its trace, each attempt a span of its own.
  for (const [, start] of sent) assert.match(start.parent?.traceparent ?? "", /-0{15}1-01$/);
  const carried = webhook.arrivals.map(({ headers }) => headers.traceparent);
  assert.equal(new Set(carried).size, 4);
  assert.ok(!JSON.stringify([told, spans, events]).includes("secret-path"));
  assert.equal(told.filter((entry) => JSON.stringify(entry).includes("a2a.server.deliveries")).length, 4);
  const readings = await read?.();
  assert.deepEqual([readings?.["a2a.server.outbox.depth"], readings?.["a2a.server.outbox.age"]], [0, 0]);
});

test("SEC-17: the gauges tell how many webhooks are behind, and for how long", async (t) => {
  const webhook = await Webhook.open(t, () => undefined);
  let read: (() => Readings | Promise<Readings>) | undefined;
  const telemetry: Telemetry = {
    begin: () => ({
      trace: undefined,
      run: (body) => body(),
      annotate: () => undefined,
      end: () => undefined,
    }),
    count: () => undefined,
    time: () => undefined,
    observe(reading) {
      read = reading;
      return () => undefined;
    },
  };
  const server = await serveFor(
    t,
    { card: plainCard, execute: work },
    { push: { ...near, drain: 0.01 }, telemetry },
  );
  await server.rpc.call("SendMessage", text("go", inline(webhook.url())));
  await webhook.count(1);
  const before = await read?.();
  assert.equal(before?.["a2a.server.outbox.depth"], 1);
  const later = async () => ((await read?.())?.["a2a.server.outbox.age"] ?? 0) > 0.02;
  while (!(await later())) await new Promise((resolve) => setImmediate(resolve));
});
