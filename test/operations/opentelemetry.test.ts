import assert from "node:assert/strict";
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { afterAll, test } from "vitest";
import { artifact, completed, type Executor, inputRequired, reply, working } from "../../src/index.js";
import { openTelemetry } from "../../src/opentelemetry/index.js";
import type { Telemetry } from "../../src/server/index.js";
import { gate } from "../support/both.js";
import { collect, plainCard, serveFor, text } from "../support/peer.js";
import { recording } from "./recording.js";

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
afterAll(() => context.disable());

/** Waits for what the next turns of the event loop bring about. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const traced = { traceparent: parent, tracestate: "vendor=1" };

for (const operation of ["SendMessage", "SendStreamingMessage"]) {
  for (const binding of ["rpc", "rest"] as const) {
    test(`SVC-08, SEC-17: ${operation} is a span of the caller's trace, its execution lies in it [${binding}]`, async (t) => {
      const record = recording();
      let inside: string | undefined;
      const execute: Executor = async function* () {
        yield working();
        inside = trace.getActiveSpan()?.spanContext().spanId;
        record.tracer.startSpan("own work").end();
        yield completed();
      };
      const server = await serveFor(t, { card: plainCard, execute }, { telemetry: record.telemetry });
      if (operation === "SendMessage") await server[binding].call(operation, text("go"), traced);
      else await collect(server[binding].stream(operation, text("go"), { headers: traced }));
      await until(() => record.spans().length === 3);
      const span = record.named(`a2a.server ${operation}`);
      const [execution, own] = [record.named("a2a.execution"), record.named("own work")];
      for (const one of [span, execution, own]) assert.equal(one.spanContext().traceId, parent.slice(3, 35));
      assert.equal(span.parentSpanContext?.spanId, "b7ad6b7169203331");
      assert.equal(span.parentSpanContext?.isRemote, true);
      assert.equal(span.spanContext().traceState?.serialize(), "vendor=1");
      assert.equal(execution.parentSpanContext?.spanId, span.spanContext().spanId);
      assert.notEqual(execution.parentSpanContext?.isRemote, true);
      assert.equal(own.parentSpanContext?.spanId, execution.spanContext().spanId);
      assert.equal(inside, execution.spanContext().spanId);
      assert.deepEqual([span.kind, execution.kind], [SpanKind.SERVER, SpanKind.INTERNAL]);
      assert.equal(span.attributes["rpc.method"], operation);
      assert.match(String(execution.attributes["a2a.task.id"]), /^[\da-f-]{36}$/);
    });
  }
}

test("SVC-08: without telemetry the executor gets the caller's trace as it came, or none", async (t) => {
  const execute: Executor = async ({ call }) => reply(JSON.stringify(call.trace ?? null));
  const server = await serveFor(t, { card: plainCard, execute });
  const said = async (headers: Record<string, string>) => {
    const { result } = await server.rpc.call("SendMessage", text("hi"), headers);
    return JSON.parse(result.message.parts[0].text);
  };
  assert.deepEqual(await said(traced), traced);
  assert.deepEqual(await said({ traceparent: parent }), { traceparent: parent });
  for (const broken of [
    "",
    "00-1-2-3",
    parent.replace("0af", "0AF"),
    `${parent}x`,
    parent.replace(/-b7\w+/, "-0000000000000000"),
  ]) {
    assert.equal(await said({ traceparent: broken, tracestate: "vendor=1" }), null, broken);
  }
  assert.equal(await said({}), null);
});

for (const binding of ["rpc", "rest"] as const) {
  test(`SEC-17: refusals are spans with the code, also those before the operation, each once [${binding}]`, async (t) => {
    const record = recording();
    const server = await serveFor(
      t,
      { card: plainCard, execute: async () => reply("hi") },
      { telemetry: record.telemetry },
    );
    const peer = server[binding];
    await peer.call("GetTask", { id: "none" }, traced);
    await peer.call("SendMessage", { message: { parts: [] } }, traced);
    const spans = record.spans().map((span) => [span.name, span.attributes["error.type"], span.status.code]);
    assert.deepEqual(spans, [
      ["a2a.server GetTask", "TASK_NOT_FOUND", SpanStatusCode.ERROR],
      ["a2a.server SendMessage", "INVALID_PARAMS", SpanStatusCode.ERROR],
    ]);
    for (const span of record.spans()) assert.equal(span.parentSpanContext?.spanId, "b7ad6b7169203331");
    const refusals = await record.values("a2a.server.refusals");
    assert.deepEqual(
      refusals.map(({ attributes, value }) => [attributes["error.type"], attributes["rpc.method"], value]),
      [
        ["TASK_NOT_FOUND", "GetTask", 1],
        ["INVALID_PARAMS", "SendMessage", 1],
      ],
    );
  });
}

test("requests that reach no operation are spans and counted, without one", async (t) => {
  const record = recording();
  const server = await serveFor(
    t,
    { card: plainCard, execute: async () => reply("hi") },
    { telemetry: record.telemetry, limits: { body: 100 } },
  );
  await server.rpc.call("Nothing", {});
  await server.rest.call("SendMessage", text("x".repeat(100)));
  const refusals = await record.values("a2a.server.refusals");
  assert.deepEqual(
    refusals.map(({ attributes }) => [attributes["error.type"], attributes["rpc.method"]]),
    [
      ["METHOD_NOT_FOUND", "unknown"],
      ["REQUEST_TOO_LARGE", "unknown"],
    ],
  );
  for (const { attributes } of refusals) assert.equal(attributes["a2a.agent"], "Test agent");
  assert.deepEqual(
    record.spans().map(({ name, attributes, status }) => [name, attributes["error.type"], status.code]),
    [
      ["a2a.server unknown", "METHOD_NOT_FOUND", SpanStatusCode.ERROR],
      ["a2a.server unknown", "REQUEST_TOO_LARGE", SpanStatusCode.ERROR],
    ],
  );
});

test("SEC-12: what an executor throws is on its span, without the credentials of the caller", async (t) => {
  const record = recording();
  const executors: Executor[] = [
    async () => {
      throw new Error("the password is hunter2");
    },
    async function* () {
      yield working();
      throw new Error("the password is hunter2");
    },
    () => {
      throw new Error("the password is hunter2");
    },
  ];
  for (const execute of executors) {
    const server = await serveFor(t, { card: plainCard, execute }, { telemetry: record.telemetry });
    const { message } = await server.rpc.call("SendMessage", text("go"), { Authorization: "Bearer hunter2" });
    assert.ok(!message?.includes("password"));
  }
  const executions = record.spans().filter(({ name }) => name === "a2a.execution");
  assert.deepEqual(
    executions.map(({ status }) => status.code),
    Array(3).fill(SpanStatusCode.ERROR),
  );
  for (const { events } of executions) {
    const [{ name, attributes = {} } = {}] = events;
    assert.equal(name, "exception");
    assert.equal(attributes["exception.message"], "the password is [redacted]");
    assert.match(String(attributes["exception.stacktrace"]), /opentelemetry\.test\.ts/);
  }
  assert.ok(
    !JSON.stringify(
      record.spans().map(({ attributes, status, events }) => [attributes, status, events]),
    ).includes("hunter2"),
  );
});

test("an executor that is told to stop, or answers at once, ends its span", async (t) => {
  const record = recording();
  const { open, opened } = gate();
  const server = await serveFor(
    t,
    {
      card: plainCard,
      execute: ({ text }) =>
        text === "reply"
          ? reply("hi")
          : (async function* () {
              yield working();
              await opened;
              yield working("dropped");
            })(),
    },
    { telemetry: record.telemetry },
  );
  await server.rpc.call("SendMessage", text("reply"));
  assert.equal(record.spans().filter(({ name }) => name === "a2a.execution").length, 1);
  const { result } = await server.rpc.call(
    "SendMessage",
    text("go", { configuration: { returnImmediately: true } }),
  );
  await server.rpc.call("CancelTask", { id: result.task.id });
  open();
  await until(() => record.spans().filter(({ name }) => name === "a2a.execution").length === 2);
});

test("metrics: events by kind, open streams, tasks at work, how long operations take", async (t) => {
  const record = recording();
  const server = await serveFor(
    t,
    {
      card: plainCard,
      async *execute() {
        yield working();
        yield artifact().text("x");
        yield inputRequired("?");
      },
    },
    { telemetry: record.telemetry },
  );
  const { result } = await server.rpc.call("SendMessage", text("go"));
  const events = await record.values("a2a.server.events");
  assert.deepEqual(Object.fromEntries(events.map(({ attributes, value }) => [attributes.kind, value])), {
    task: 1,
    artifact: 1,
    status: 1,
  });
  const stop = new AbortController();
  const stream = server.rest.stream("SubscribeToTask", { id: result.task.id }, { signal: stop.signal });
  await stream.next();
  assert.deepEqual(
    (await record.values("a2a.server.streams")).map(({ value }) => value),
    [1],
  );
  stop.abort();
  await stream.next().catch(() => undefined);
  await until(async () => (await record.values("a2a.server.streams"))[0]?.value === 0);
  assert.deepEqual(
    (await record.values("a2a.server.executions")).map(({ value }) => value),
    [0],
  );
  const times = await record.values("a2a.server.operation.duration");
  assert.deepEqual(times.map(({ attributes }) => attributes["rpc.method"]).sort(), [
    "SendMessage",
    "SubscribeToTask",
  ]);
});

test("metrics: tasks by agent and final state, and how long executors worked", async (t) => {
  const record = recording();
  const server = await serveFor(
    t,
    {
      card: plainCard,
      async *execute({ text }) {
        yield working();
        if (text === "ask") yield inputRequired("?");
        else if (text === "throw") throw new Error("broken");
        else yield completed();
      },
    },
    { telemetry: record.telemetry },
  );
  for (const words of ["done", "done", "throw"]) await server.rpc.call("SendMessage", text(words));
  const { result } = await server.rpc.call("SendMessage", text("ask"));
  const tasks = async () =>
    Object.fromEntries(
      (await record.values("a2a.tasks")).map(({ attributes, value }) => {
        assert.equal(attributes["a2a.agent"], "Test agent");
        return [attributes.state, value];
      }),
    );
  assert.deepEqual(await tasks(), { TASK_STATE_COMPLETED: 2, TASK_STATE_FAILED: 1 });
  await server.rpc.call("CancelTask", { id: result.task.id });
  assert.deepEqual(await tasks(), { TASK_STATE_COMPLETED: 2, TASK_STATE_FAILED: 1, TASK_STATE_CANCELED: 1 });
  const times = await record.values("a2a.execution.duration");
  assert.deepEqual(
    times.map(({ attributes, value }) => [attributes["error.type"], (value as { count: number }).count]),
    [
      [undefined, 3],
      ["EXECUTOR_FAILED", 1],
    ],
  );
});

test("a server that has closed is asked for nothing any more", async (t) => {
  const observed: string[] = [];
  const telemetry: Telemetry = {
    begin: () => assert.fail("nothing happens"),
    count: () => undefined,
    time: () => undefined,
    observe: () => {
      observed.push("begun");
      return () => observed.push("ended");
    },
  };
  const server = await serveFor(t, { card: plainCard, execute: async () => reply("hi") }, { telemetry });
  await server.close();
  assert.deepEqual(observed, ["begun", "ended"]);
});

test("without a tracer of its own the adapter takes what is registered, and passes traces on when there is none", async (t) => {
  const execute: Executor = async ({ call }) => reply(call.trace?.traceparent ?? "none");
  const server = await serveFor(t, { card: plainCard, execute }, { telemetry: openTelemetry() });
  const said = async (headers: Record<string, string>) =>
    (await server.rpc.call("SendMessage", text("hi"), headers)).result.message.parts[0].text;
  assert.equal(await said(traced), parent);
  assert.equal(await said({}), "none");
});
