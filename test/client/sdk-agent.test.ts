import assert from "node:assert/strict";
import { test } from "vitest";
import {
  type BindingName,
  type Client,
  connect,
  gapBefore,
  RemoteError,
  textOf,
} from "../../src/client/index.js";
import { serveSdkAgent } from "./sdk-agent.js";
import { cuttingProxy, seeded } from "./stream/cutting-proxy.js";

/** A subscription begins with the whole task, so a proxy that cuts early lets nothing through until it has had enough. */
const RESUME = { first: 0.001, longest: 0.01, attempts: 60 };

/** One test over each binding, with a client of an agent made with the reference SDK. */
function onBoth(name: string, run: (client: Client) => Promise<void>): void {
  for (const binding of ["JSONRPC", "HTTP+JSON", "GRPC"] satisfies BindingName[]) {
    test(`${name} [@a2a-js/sdk, ${binding}]`, async (t) => {
      const { url } = await serveSdkAgent(t);
      await run(await connect(url, { bindings: [binding] }));
    });
  }
}

onBoth("sends give tasks and replies", async (client) => {
  const { task } = await client.sendText("one two");
  assert.equal(task?.status.state, "TASK_STATE_COMPLETED");
  assert.equal(textOf(task.artifacts![0]!), "onetwo");
  const { message } = await client.sendText("say hello you");
  assert.equal(message && textOf(message), "hello you");
});

onBoth("streams bring every event and fold to the task", async (client) => {
  const stream = client.stream("count 20");
  let chunks = 0;
  for await (const event of stream) if (event.artifactUpdate) chunks += 1;
  assert.equal(chunks, 20);
  const task = await client.getTask({ id: stream.task!.id });
  assert.deepEqual(stream.task?.artifacts, task.artifacts);
  assert.deepEqual(stream.task?.status, task.status);
  const { message } = await client.stream("say hi").result();
  assert.equal(message && textOf(message), "hi");
});

onBoth("tasks that ask are answered, followed, canceled and listed", async (client) => {
  const { task } = await client.sendText("ask");
  assert.equal(task?.status.state, "TASK_STATE_INPUT_REQUIRED");
  const { task: answered } = await client.reply(task, "this");
  assert.equal(answered?.status.state, "TASK_STATE_COMPLETED");

  const { task: waiting } = await client.sendText("wait", { configuration: { returnImmediately: true } });
  const watching = client.subscribeToTask({ id: waiting!.id });
  await watching[Symbol.asyncIterator]().next();
  const canceled = await client.cancelTask({ id: waiting!.id });
  assert.equal(canceled.status.state, "TASK_STATE_CANCELED");
  assert.equal((await watching.result()).task?.status.state, "TASK_STATE_CANCELED");
  await assert.rejects(client.cancelTask({ id: task.id }), coded("TASK_NOT_CANCELABLE"));

  const ids: string[] = [];
  for await (const { id } of client.iterateTasks({ pageSize: 1 })) ids.push(id);
  assert.deepEqual(new Set(ids), new Set([task.id, waiting!.id]));
});

onBoth("webhooks are registered, read, listed and removed", async (client) => {
  const { task } = await client.sendText("ask");
  const configs = client.pushConfigs(task!.id);
  const { id } = await configs.create({ url: "https://hook.example/", token: "t" });
  assert.ok(id);
  assert.equal((await configs.get(id)).url, "https://hook.example/");
  const listed: string[] = [];
  for await (const config of configs.list()) listed.push(config.url);
  assert.deepEqual(listed, ["https://hook.example/"]);
  await configs.delete(id);
  await assert.rejects(configs.get(id));
});

onBoth("the extended card is read", async (client) => {
  assert.equal((await client.getExtendedAgentCard()).version, "2");
});

onBoth("errors are recognised", async (client) => {
  await assert.rejects(client.getTask({ id: "none" }), coded("TASK_NOT_FOUND"));
  const { task } = await client.sendText("one");
  await assert.rejects(client.reply(task!, "more"), coded("UNSUPPORTED_OPERATION"));
  await assert.rejects(client.subscribeToTask({ id: task!.id }).result(), coded("UNSUPPORTED_OPERATION"));
});

function coded(code: string) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof RemoteError, String(error));
    assert.equal(error.code, code);
    return true;
  };
}

for (const binding of ["JSONRPC", "HTTP+JSON"] satisfies BindingName[]) {
  test(`STR-12, STR-15, STR-16: cuts of a stream without numbers are reported, the task is complete [@a2a-js/sdk, ${binding}]`, async (t) => {
    const random = seeded(7);
    const { url } = await serveSdkAgent(t);
    const proxy = await cuttingProxy(t, url, { cuts: 20, bytes: () => 800 + Math.floor(random() * 14_000) });
    const { card } = await connect(url);
    const supportedInterfaces = card.supportedInterfaces.map((entry) => ({
      ...entry,
      url: entry.url.replace(url, proxy.url),
    }));
    const client = await connect(
      { ...card, supportedInterfaces },
      { bindings: [binding], resume: RESUME, retry: RESUME },
    );

    const stream = client.stream("count 500");
    const gaps: string[] = [];
    for await (const event of stream) {
      const gap = gapBefore(event);
      if (gap !== undefined) gaps.push(gap.reason);
    }

    assert.ok(proxy.cuts >= 10, `the proxy cut ${proxy.cuts} times`);
    const task = await client.getTask({ id: stream.task!.id });
    assert.equal(task.artifacts?.[0]?.parts.length, 500);
    assert.deepEqual(stream.task?.artifacts, task.artifacts);
    assert.deepEqual(stream.task?.status, task.status);
    assert.ok(gaps.length > 0, "events that nobody repeats are reported as a gap");
  });
}

onBoth("a skill is called with words or data, and its output is what the agent answers", async (client) => {
  assert.equal((await client.skill("obey").call("say hello you")).output, "hello you");
  const { output, task } = await client.skill("obey").call({ any: "data" });
  assert.deepEqual([output, task?.status.state], ["done", "TASK_STATE_COMPLETED"]);
  const stream = client.skill("obey").stream("ask", { answer: () => "count 3" });
  const words: string[] = [];
  for await (const { text } of stream) if (text !== undefined) words.push(text);
  assert.deepEqual(words, ["1 ", "2 ", "3 "]);
  assert.equal((await stream.result()).output, "1 2 3 ");
});
