import assert from "node:assert/strict";
import { test } from "vitest";
import { type Client, connect, RemoteError } from "../../src/client/index.js";
import {
  artifact,
  completed,
  type Executor,
  inputRequired,
  reply,
  textOf,
  working,
} from "../../src/index.js";
import { testedBindings } from "../support/both.js";
import { testedOptions } from "../support/hosts.js";
import { serveExecutor } from "../support/peer.js";

/** Does what the first word of the message says. */
const obedient: Executor = async function* ({ message, task, signal }) {
  const words = textOf(message);
  if (words.startsWith("say ")) return reply(words.slice(4));
  yield working("begun");
  if (words === "ask" && task === undefined) return yield inputRequired("what?");
  if (words === "wait") {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return undefined;
  }
  const answer = artifact({ name: "answer" });
  for (const word of words.split(" ")) yield answer.text(word);
  return yield completed("done");
};

/** One test over each binding, with a client of the obedient agent. */
function onBoth(name: string, run: (client: Client) => Promise<void>): void {
  for (const binding of testedBindings) {
    test(`${name} [${binding}]`, async (t) => {
      const card = { name: "Obedient", description: "Does what it is told" };
      const extendedCard = {
        ...card,
        supportedInterfaces: [],
        version: "2",
        capabilities: { streaming: true },
        defaultInputModes: ["text/plain"],
        defaultOutputModes: ["text/plain"],
        skills: [],
      };
      const more = {
        card,
        extendedCard: () => ({ ...extendedCard, supportedInterfaces: [here] }),
        extendedCardForAnyone: true,
      };
      const { url } = await serveExecutor(t, obedient, { push: {}, ...testedOptions }, more);
      const here = { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" };
      const client = await connect(url, { bindings: [binding] });
      assert.equal(client.agentInterface.protocolBinding, binding);
      await run(client);
    });
  }
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

onBoth("CLI-06, CLI-11: a send gives a task or a direct reply, told apart by the member", async (client) => {
  const { task } = await client.sendText("one two");
  assert.equal(task?.status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(task.artifacts?.[0]?.parts, [{ text: "one" }, { text: "two" }]);
  const { message } = await client.sendText("say hello");
  assert.equal(message && textOf(message), "hello");
});

onBoth("CLI-06, ART-09: a streaming send gives every event, folded as GetTask shows it", async (client) => {
  const stream = client.stream("one two");
  const kinds = (await collect(stream)).map((event) => Object.keys(event).join());
  assert.deepEqual(kinds, ["task", "artifactUpdate", "artifactUpdate", "statusUpdate"]);
  const { history: _, ...folded } = stream.task!;
  const { history: __, ...read } = await client.getTask({ id: folded.id });
  assert.deepEqual(folded, read);
  assert.equal(stream.message, undefined);
});

onBoth("OP-STREAM-11: returnImmediately makes no difference to a stream", async (client) => {
  const stream = client.stream("one", { configuration: { returnImmediately: true } });
  const { task } = await stream.result();
  assert.equal(task?.status.state, "TASK_STATE_COMPLETED");
});

onBoth("a direct reply is the only event of its stream", async (client) => {
  const stream = client.stream([{ text: "say hi" }]);
  const { message } = await stream.result();
  assert.equal(message && textOf(message), "hi");
  assert.equal(stream.message, message);
  assert.equal(stream.task, undefined);
});

onBoth("TURN-15, CLI-10: a reply continues a task that asked for input", async (client) => {
  const { task } = await client.sendText("ask");
  assert.equal(task?.status.state, "TASK_STATE_INPUT_REQUIRED");
  const { task: answered } = await client.reply(task, "this");
  assert.equal(answered?.id, task.id);
  assert.equal(answered.status.state, "TASK_STATE_COMPLETED");
});

onBoth("OP-GET-01, OP-CANCEL-01, OP-SUB-01: tasks are read, followed and canceled", async (client) => {
  const { task } = await client.sendText("wait", { configuration: { returnImmediately: true } });
  const id = task!.id;
  assert.equal((await client.getTask({ id, historyLength: 0 })).history, undefined);
  const watching = client.subscribeToTask({ id });
  const [{ value: first }] = await Promise.all([watching[Symbol.asyncIterator]().next()]);
  assert.equal(first.task.id, id);
  const canceled = await client.cancelTask({ id, metadata: { why: "test" } });
  assert.equal(canceled.status.state, "TASK_STATE_CANCELED");
  assert.equal((await watching.result()).task?.status.state, "TASK_STATE_CANCELED");
  await assert.rejects(
    client.cancelTask({ id }),
    (error) => error instanceof RemoteError && error.code === "TASK_NOT_CANCELABLE",
  );
});

onBoth(
  "OP-LIST-01, PAGE-06, PAGE-12: tasks are listed page by page until there is no token",
  async (client) => {
    const ids = new Set<string>();
    for (const words of ["a", "b", "c"]) ids.add((await client.sendText(words)).task!.id);
    const page = await client.listTasks({ pageSize: 2, includeArtifacts: true });
    assert.equal(page.tasks.length, 2);
    assert.equal(page.tasks[0]?.artifacts?.length, 1);
    const listed = await collect(client.iterateTasks({ pageSize: 1, status: "TASK_STATE_COMPLETED" }));
    assert.deepEqual(new Set(listed.map(({ id }) => id)), ids);
    assert.deepEqual(await collect(client.iterateTasks({ contextId: "nowhere" })), []);
  },
);

onBoth("OP-XCARD-05, OP-XCARD-10: the extended card takes the place of the public one", async (client) => {
  assert.equal(client.card.version, "0.1.0");
  const card = await client.getExtendedAgentCard();
  assert.equal(card.version, "2");
  assert.equal(client.card, card);
  assert.equal((await client.refreshCard()).version, "0.1.0");
});

onBoth(
  "OP-PUSH-02, OP-PUSH-16: webhooks of a task are registered, read, listed and removed",
  async (client) => {
    const { task } = await client.sendText("ask");
    const configs = client.pushConfigs(task!.id);
    const { id = "" } = await configs.create({ url: "https://hooks.example.com/", token: "t" });
    assert.equal((await configs.get(id)).token, "t");
    assert.deepEqual(
      (await collect(configs.list())).map(({ url }) => url),
      ["https://hooks.example.com/"],
    );
    await configs.delete(id);
    await configs.delete(id);
    assert.deepEqual(await collect(configs.list()), []);
    await assert.rejects(
      configs.get(id),
      (error) => error instanceof RemoteError && error.code === "TASK_NOT_FOUND",
    );
  },
);

onBoth("ERR-15, ERR-26: errors have name, code, status, message, details and reason", async (client) => {
  const isRpc = client.agentInterface.protocolBinding === "JSONRPC";
  await assert.rejects(client.getTask({ id: "none" }), (error) => {
    assert.ok(error instanceof RemoteError);
    assert.equal(error.name, "TaskNotFoundError");
    assert.equal(error.code, "TASK_NOT_FOUND");
    assert.equal(error.reason, "TASK_NOT_FOUND");
    assert.equal(error.message, "Task not found");
    assert.equal(error.operation, "GetTask");
    assert.equal(error.httpStatus, isRpc ? 200 : 404);
    assert.equal(error.jsonRpcCode, isRpc ? -32001 : undefined);
    assert.equal(error.details.length, 1);
    assert.deepEqual(error.metadata, { taskId: "none" });
    return true;
  });
});

onBoth("REST-06: identifiers of any characters reach the agent", async (client) => {
  for (const id of ["a/b:c", "x:cancel", "ümläut ?&#%+", "日本"]) {
    await assert.rejects(
      client.getTask({ id }),
      (error) => error instanceof RemoteError && error.metadata.taskId === id,
    );
    await assert.rejects(
      client.cancelTask({ id }),
      (error) => error instanceof RemoteError && error.metadata.taskId === id,
    );
  }
});
