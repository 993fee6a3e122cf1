import assert from "node:assert/strict";
import { test } from "vitest";
import { type BindingName, ClientError } from "../../src/client/index.js";
import {
  cardOf,
  clientOf,
  completed,
  eventStream,
  frames,
  json,
  result,
  type Seen,
  statusOf,
  task,
} from "./scripted.js";

for (const binding of ["JSONRPC", "HTTP+JSON"] satisfies BindingName[]) {
  const answer = (value: unknown) => (request: Seen) =>
    binding === "JSONRPC" ? result(request, value) : json(value);

  test(`an answer that breaks the contract is refused by path, with what was expected and what came [${binding}]`, async () => {
    for (const [value, field, received] of [
      [{ ...task, status: {} }, "status.state", "no such member"],
      [{ ...task, status: { state: "done" } }, "status.state", "other text"],
      [{ ...task, id: "" }, "id", "empty text"],
      [{ ...task, artifacts: [{ artifactId: "a", parts: [] }] }, "artifacts[0].parts", "a list of 0"],
      [{ ...task, history: {} }, "history", "an object"],
      [{ ...task, metadata: 7 }, "metadata", "a number"],
      [null, "", "null"],
      [[], "", "a list of 0"],
    ] as const) {
      const { client } = await clientOf(answer(value), { bindings: [binding] });
      await assert.rejects(client.getTask({ id: "t" }), (error) => {
        assert.ok(error instanceof ClientError, String(error));
        assert.equal(error.code, "INVALID_RESPONSE");
        assert.equal(error.field, field);
        assert.equal(error.received, received);
        const what = "https://agent.example/a2a answered GetTask with an invalid value";
        const fault = `${field || "the value"} ${error.expected}`;
        assert.equal(error.message, `${what}: ${fault} (received: ${received})`);
        assert.match(error.expected ?? "", /^(is|must|has) /);
        return true;
      });
    }
  });

  test(`a lenient client warns of such an answer and hands it on [${binding}]`, async () => {
    const warnings: object[] = [];
    const logger = { debug() {}, info() {}, error() {}, warn: (facts: object) => warnings.push(facts) };
    const { client } = await clientOf(answer({ ...task, status: {}, more: 1 }), {
      bindings: [binding],
      lenient: true,
      logger,
    });
    assert.deepEqual(await client.getTask({ id: "t" }), { ...task, status: {}, more: 1 });
    assert.deepEqual(warnings, [
      {
        operation: "GetTask",
        url: "https://agent.example/a2a",
        field: "status.state",
        expected: "is required",
      },
    ]);
  });

  test(`SEC-16: an answer beyond its size limit is not read [${binding}]`, async () => {
    const { client } = await clientOf(answer({ ...task, metadata: { text: "x".repeat(2000) } }), {
      bindings: [binding],
      limits: { answer: 1000 },
    });
    await assert.rejects(client.getTask({ id: "t" }), { code: "RESPONSE_TOO_LARGE" });
    const endless = await clientOf(() => endlessAnswer(), {
      bindings: [binding],
      limits: { answer: 1_000_000 },
    });
    await assert.rejects(endless.client.getTask({ id: "t" }), { code: "RESPONSE_TOO_LARGE" });
  });

  test(`TASK-18, CLI-09: states of a newer version are kept, and are not the end of a task [${binding}]`, async () => {
    const paused = { ...task, status: { state: "TASK_STATE_PAUSED" } };
    const { client } = await clientOf(answer(paused), { bindings: [binding] });
    assert.deepEqual(await client.getTask({ id: "t" }), paused);
    const counted = await clientOf(answer({ ...task, status: { state: 77 } }), { bindings: [binding] });
    assert.equal((await counted.client.getTask({ id: "t" })).status.state, 77);
  });
}

test("SEC-16: an extended card is no larger than a card", async () => {
  const { client } = await clientOf((request) => result(request, cardOf({ description: "x".repeat(2000) })), {
    limits: { card: 1000 },
  });
  await assert.rejects(client.getExtendedAgentCard(), { code: "RESPONSE_TOO_LARGE" });
});

function endlessAnswer(): Response {
  const chunk = new TextEncoder().encode("x".repeat(65_536));
  const body = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
  return new Response(body, { headers: { "Content-Type": "application/json" } });
}

test("TASK-18: a stream that ends in an unknown state is not taken for ended", async () => {
  const { client, seen } = await clientOf((request) => {
    if (request.json.method === "SubscribeToTask") {
      return eventStream(
        frames(request, [{ task: { ...task, status: { state: "TASK_STATE_PAUSED" } } }, statusOf(completed)]),
      );
    }
    if (request.json.method === "GetTask") return result(request, { ...task, status: completed });
    return eventStream(frames(request, [{ task }, statusOf({ state: "TASK_STATE_PAUSED" })]));
  });
  const { task: ended } = await client.stream("x").result();
  assert.equal(ended?.status.state, "TASK_STATE_COMPLETED");
  assert.ok(seen.length >= 2);
});

test("events that are not JSON, or no responses, end the stream with what came", async () => {
  for (const [data, binding, received] of [
    ["{", "JSONRPC", "an unreadable event"],
    ["[]", "JSONRPC", "JSON of another kind"],
    ['{"jsonrpc":"2.0","id":99,"result":{}}', "JSONRPC", "id 99"],
    ["<html>", "HTTP+JSON", "an unreadable event"],
    ['{"statusUpdate":{"taskId":"t"}}', "HTTP+JSON", "no such member"],
    ["[]", "HTTP+JSON", "a list of 0"],
  ] as const) {
    const { client } = await clientOf(() => eventStream([`data: ${data}\n\n`]), { bindings: [binding] });
    await assert.rejects(client.stream("x").result(), (error) => {
      assert.ok(error instanceof ClientError, String(error));
      assert.equal(error.code, "INVALID_RESPONSE");
      assert.equal(error.received, received);
      return true;
    });
  }
});

test("a lenient client folds what can be folded", async () => {
  const warnings: string[] = [];
  const logger = {
    debug() {},
    info() {},
    error() {},
    warn: (_: object, text: string) => warnings.push(text),
  };
  const { client } = await clientOf(
    (request) =>
      eventStream(
        frames(request, [{ task }, { statusUpdate: { taskId: "t", contextId: "c" } }, statusOf(completed)]),
      ),
    { lenient: true, logger },
  );
  const stream = client.stream("x");
  await stream.result();
  assert.equal(stream.task?.status.state, "TASK_STATE_COMPLETED");
  assert.equal(warnings.length, 2);
});

test("a lenient client takes a task without a status for one that has not settled", async () => {
  const { status: _, ...bare } = task;
  const done = { ...task, status: completed };
  const agent = (...tasks: object[]) =>
    clientOf(
      (request) => {
        const { method } = request.json;
        const next = tasks.length > 1 ? tasks.shift() : tasks[0];
        return result(request, method === "SendMessage" ? { task: next } : next);
      },
      { lenient: true, card: cardOf({ capabilities: {} }) },
    );
  const polled = await agent(bare, done);
  assert.deepEqual(await polled.client.waitForTask("t"), done);
  const followed = await agent(bare, bare, done);
  assert.deepEqual(
    (await followed.client.subscribeToTask({ id: "t" }, { fallback: true }).result()).task,
    done,
  );
  const sent = await agent(bare, bare, done);
  const { task: ended } = await sent.client.skill("s").call("x");
  assert.deepEqual(ended, done);
  await assert.rejects(sent.client.skill("s").resultOf(bare as typeof task), {
    name: "SkillError",
    message: "The task has no state",
  });
});

test("a skill has no output where a lenient client receives a message or an artifact without parts", async () => {
  const message = { messageId: "m", role: "ROLE_AGENT" };
  const artifact = { artifactId: "a" };
  const status = { ...completed, message };
  const question = { state: "TASK_STATE_INPUT_REQUIRED", message };
  const artifactUpdate = { taskId: "t", contextId: "c", artifact };
  for (const [answer, ...more] of [
    [{ task: { ...task, status } }],
    [{ task: { ...task, status: completed, artifacts: [artifact] } }],
    [{ message }],
    [{ task }, statusOf(status)],
    [{ task }, { artifactUpdate }, statusOf(completed)],
  ] as const) {
    const { client } = await clientOf((request) => eventStream(frames(request, [answer, ...more])), {
      lenient: true,
    });
    const stream = client.skill("s").stream("x");
    for await (const { text, output } of stream) assert.equal(text ?? output, undefined);
    assert.equal((await stream.result()).output, "");
  }
  const { client } = await clientOf((request) => result(request, { task: { ...task, status: question } }), {
    lenient: true,
  });
  const texts: string[] = [];
  const answer = ({ text }: { text: string }) => void texts.push(text);
  await assert.rejects(client.skill("s").call("x", { answer }), { message: "The agent asks a question" });
  assert.deepEqual(texts, [""]);
});

test("a lenient client ignores a closing snapshot and a last read without a status", async () => {
  const { status: _, ...bare } = task;
  const closed = await clientOf(
    (request) => eventStream(frames(request, [{ task }, statusOf(completed), { task: bare }])),
    { lenient: true },
  );
  assert.equal((await closed.client.stream("x").result()).task?.status.state, "TASK_STATE_COMPLETED");
  const { client, seen } = await clientOf(
    (request) => {
      if (request.json.method === "GetTask") return result(request, bare);
      return request.json.method === "SendStreamingMessage"
        ? eventStream(frames(request, [{ task }], 1), "cut")
        : eventStream(frames(request, [{ task: { ...task, status: completed } }], 7));
    },
    { lenient: true },
  );
  assert.equal((await client.stream("x").result()).task?.status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(
    seen.map(({ json }) => json.method),
    ["SendStreamingMessage", "SubscribeToTask", "GetTask"],
  );
});

test("ART-04: a chunk of an artifact that was never sent makes one, with a warning", async () => {
  const warnings: object[] = [];
  const logger = { debug() {}, info() {}, error() {}, warn: (facts: object) => warnings.push(facts) };
  const artifactUpdate = {
    taskId: "t",
    contextId: "c",
    artifact: { artifactId: "a", parts: [{ text: "x" }] },
    append: true,
  };
  const { client } = await clientOf(
    (request) => eventStream(frames(request, [{ task }, { artifactUpdate }, statusOf(completed)])),
    { logger },
  );
  assert.equal((await client.stream("x").result()).task?.artifacts?.length, 1);
  assert.deepEqual(warnings, [{ taskId: "t", warning: "append-to-unknown-artifact" }]);
});

test("a request that breaks the contract is not sent, and the fault is named", async () => {
  const { client, seen } = await clientOf((request) => result(request, task));
  await assert.rejects(client.getTask({ id: "" }), {
    name: "ClientError",
    code: "INVALID_REQUEST",
    field: "id",
    expected: "must not be empty",
  });
  await assert.rejects(client.listTasks({ pageSize: 101 }), { code: "INVALID_REQUEST", field: "pageSize" });
  await assert.rejects(client.stream([]).result(), { code: "INVALID_REQUEST", field: "message.parts" });
  assert.equal(seen.length, 0);
});

test("CLI-05: what the card does not declare is not called, unless the caller switches the check off", async () => {
  const card = cardOf({ capabilities: {} });
  const { client, seen } = await clientOf((request) => result(request, task), { card });
  const missing = (capability: string) => ({
    code: "CAPABILITY_MISSING",
    expected: `capabilities.${capability} true`,
  });
  await assert.rejects(client.subscribeToTask({ id: "t" }).result(), missing("streaming"));
  await assert.rejects(client.pushConfigs("t").get("p"), missing("pushNotifications"));
  await assert.rejects(client.getExtendedAgentCard(), missing("extendedAgentCard"));
  assert.equal(seen.length, 0);
  const config = { taskId: "t", url: "https://h.example" };
  const unchecked = await clientOf((request) => result(request, config), { card, localChecks: false });
  assert.deepEqual(await unchecked.client.pushConfigs("t").get("p"), config);
});

test("SEC-12: the query of an interface does not show in errors", async () => {
  const [first] = cardOf().supportedInterfaces;
  const card = cardOf({ supportedInterfaces: [{ ...first!, url: "https://agent.example/a2a?key=secret" }] });
  const answers = [() => new Response("<html>"), () => Promise.reject(new Error("no")), () => json([])];
  for (const answer of answers) {
    const { client } = await clientOf(answer, { card, retry: false });
    await assert.rejects(client.getTask({ id: "t" }), (error) => !String(error).includes("secret"));
  }
});
