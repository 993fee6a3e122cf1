import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parser } from "@prometheus-io/lezer-promql";
import { type TestContext, test } from "vitest";
import { completed, type Executor, working } from "../../src/index.js";
import { openPrometheus } from "../../src/prometheus/index.js";
import type { ServeOptions } from "../../src/server/index.js";
import { freePort } from "../support/free-port.js";
import { collect, plainCard, serveFor, text } from "../support/peer.js";

const execute: Executor = async function* ({ text }) {
  yield working();
  if (text === "throw") throw new Error("broken");
  yield completed();
};

async function measured(t: TestContext, options: ServeOptions = {}) {
  const prometheus = await openPrometheus();
  t.onTestFinished(() => prometheus.close());
  const { telemetry } = prometheus;
  const server = await serveFor(t, { card: plainCard, execute }, { telemetry, logger: false, ...options });
  return { ...server, prometheus };
}

/** Labels of each metric in a text of Prometheus. */
function labelsIn(page: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, name = "", labels = ""] of page.matchAll(/^(\w+)(?:\{(.*)\})? \S+/gm)) {
    const known = found.get(name) ?? new Set();
    for (const [, label = ""] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label);
    found.set(name, known);
  }
  return found;
}

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const dashboard: { panels: Panel[]; templating: { list: { query: string }[] } } = JSON.parse(
  readFileSync(new URL("../../examples/operations/grafana/dashboard.json", import.meta.url), "utf8"),
);

/** Metrics that a query selects, and the labels that it names. Throws for what is no PromQL. */
function readQuery(query: string): { metrics: string[]; labels: string[] } {
  const expr = query.replaceAll("$__rate_interval", "5m");
  const metrics: string[] = [];
  const labels: string[] = [];
  parser.parse(expr).iterate({
    enter({ type, from, to, node }) {
      const words = expr.slice(from, to);
      assert.ok(!type.isError, `no PromQL: ${expr} at ${from}`);
      if (type.name === "Identifier" && node.parent?.name === "VectorSelector") metrics.push(words);
      if (type.name === "LabelName") labels.push(words);
    },
  });
  return { metrics, labels };
}

test("a query that is no PromQL, or names what is not there, is found", () => {
  assert.throws(() => readQuery("sum by (rate(x[5m])"));
  assert.deepEqual(readQuery('sum by (kind) (rate(x_total{a="b"}[$__rate_interval])) / y'), {
    metrics: ["x_total", "y"],
    labels: ["kind", "a"],
  });
});

test("every query of the dashboard asks for metrics and labels that a server has after traffic", async (t) => {
  const webhook = createServer((_, res) => void res.end()).listen(0, "127.0.0.1");
  t.onTestFinished(() => void webhook.close());
  await once(webhook, "listening");
  const called = once(webhook, "request");
  const { rpc, rest, prometheus } = await measured(t, {
    push: { allowPrivateNetworks: true, allowHttp: true },
  });
  const url = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`;
  await rpc.call("SendMessage", text("go", { configuration: { taskPushNotificationConfig: { url } } }));
  await rpc.call("SendMessage", text("throw"));
  await rpc.call("GetTask", { id: "none" });
  await collect(rest.stream("SendStreamingMessage", text("go")));
  await called;
  let page = await prometheus.read();
  while (!page.includes("a2a_server_deliveries_total")) page = await prometheus.read();
  const known = labelsIn(page);
  for (const { title, targets } of dashboard.panels) {
    for (const { expr, legendFormat } of targets) {
      const { metrics, labels } = readQuery(expr);
      assert.ok(metrics.length > 0, title);
      const named = [
        ...labels,
        ...Array.from(legendFormat.matchAll(/\{\{(\w+)\}\}/g), ([, label = ""]) => label),
      ];
      for (const metric of metrics) {
        assert.ok(known.has(metric), `${title}: there is no metric ${metric}`);
        for (const label of named)
          assert.ok(known.get(metric)?.has(label), `${title}: ${metric} has no label ${label}`);
      }
    }
  }
  for (const { query } of dashboard.templating.list) {
    const [, metric = "", label = ""] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? [];
    assert.ok(known.get(metric)?.has(label), query);
  }
  assert.match(page, /^a2a_tasks_total\{a2a_agent="Test agent",state="TASK_STATE_FAILED".*\} 1$/m);
  assert.match(page, /^a2a_execution_duration_count\{.*error_type="EXECUTOR_FAILED".*\} 1$/m);
});

test("the buckets of durations are for seconds, so that quantiles tell a fast answer from a slow one", async (t) => {
  const { rpc, prometheus } = await measured(t);
  await rpc.call("SendMessage", text("go"));
  const page = await prometheus.read();
  for (const metric of ["a2a_execution_duration", "a2a_server_operation_duration"]) {
    const limits = Array.from(
      page.matchAll(new RegExp(`^${metric}_bucket\\{.*le="([\\d.]+)"`, "gm")),
      ([, le]) => Number(le),
    );
    assert.ok(limits.filter((limit) => limit < 0.1).length >= 5, `${metric}: ${limits}`);
    assert.ok(
      limits.some((limit) => limit >= 600),
      `${metric}: ${limits}`,
    );
  }
});

test("metrics are at /metrics only where the option says so, for those whom it admits", async (t) => {
  const prometheus = await openPrometheus();
  t.onTestFinished(() => prometheus.close());
  const { telemetry, read } = prometheus;
  const off = await serveFor(t, { card: plainCard, execute }, { telemetry });
  assert.equal((await fetch(`${off.url}/metrics`)).status, 404);
  const on = await serveFor(
    t,
    { card: plainCard, execute },
    { telemetry, metrics: { read, allow: ({ headers }) => headers.authorization === "Bearer scraper" } },
  );
  const refused = await fetch(`${on.url}/metrics`, { headers: { Origin: "https://evil.example" } });
  assert.equal(refused.status, 403);
  const page = await fetch(`${on.url}/metrics`, { headers: { Authorization: "Bearer scraper" } });
  assert.equal(page.status, 200);
  assert.equal(page.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  assert.equal(page.headers.get("cache-control"), "no-store");
  for (const { headers } of [refused, page]) assert.equal(headers.get("access-control-allow-origin"), null);
  assert.match(await page.text(), /^# HELP a2a_server_streams /m);
  const failing = await serveFor(
    t,
    { card: plainCard, execute },
    {
      telemetry,
      logger: false,
      metrics: {
        read,
        allow: () => {
          throw new Error("no");
        },
      },
    },
  );
  assert.equal((await fetch(`${failing.url}/metrics`)).status, 500);
  await assert.rejects(
    serveFor(t, { card: plainCard, execute }, { metrics: { read } as never }),
    /metrics\.allow must be a function/,
  );
});

test("metrics can have a port of their own", async (t) => {
  const port = await freePort();
  const prometheus = await openPrometheus({ port });
  t.onTestFinished(() => prometheus.close());
  await serveFor(t, { card: plainCard, execute }, { telemetry: prometheus.telemetry });
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  assert.match(page, /^a2a_server_executions\b.* 0$/m);
  await assert.rejects(openPrometheus({ port }), /EADDRINUSE/);
});

test("a port of 0 is refused: the exporter would listen on its default port", async () => {
  for (const port of [0, Number.NaN]) {
    const refused = { name: "TypeError", message: /port must be at least 1, not (0|NaN)/ };
    await assert.rejects(openPrometheus({ port }), refused);
  }
});
