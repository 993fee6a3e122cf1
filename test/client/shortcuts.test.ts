import assert from "node:assert/strict";
import { test } from "vitest";
import { artifactReference, foldTask, type SendOptions, textPart } from "../../src/client/index.js";
import type { Received, StreamResponse, Task } from "../../src/protocol/model.js";
import { chunkOf, clientOf, completed, eventStream, frames, result, statusOf, task } from "./scripted.js";

test("OP-SEND-02, TURN-16, EXEC-10: a send carries what its options say, and nothing that was not said", async () => {
  const { client, seen } = await clientOf((request) => result(request, { task }));
  await client.sendText("hi");
  const { message, ...rest } = seen[0]!.json.params;
  assert.deepEqual(rest, {});
  assert.deepEqual(
    { ...message, messageId: "" },
    { messageId: "", role: "ROLE_USER", parts: [{ text: "hi" }] },
  );
  const options: SendOptions = {
    message: { contextId: "c", referenceTaskIds: ["old"], metadata: { a: 1 }, messageId: "m" },
    configuration: { acceptedOutputModes: ["text/plain"], historyLength: 0 },
    metadata: { trace: "x" },
  };
  await client.sendText("hi", options);
  assert.deepEqual(seen[1]?.json.params, {
    message: { ...options.message, role: "ROLE_USER", parts: [{ text: "hi" }] },
    configuration: options.configuration,
    metadata: options.metadata,
  });
});

test("TURN-09, TURN-10: the client invents no context ids and uses those of the agent as they are", async () => {
  const { client, seen } = await clientOf((request) => {
    const { contextId = "c" } = request.json.params.message;
    return result(request, { task: { ...task, contextId } });
  });
  await client.sendText("hi");
  assert.equal("contextId" in seen[0]!.json.params.message, false);
  await client.reply({ ...task, contextId: " odd/id " }, "more");
  assert.equal(seen[1]?.json.params.message.contextId, " odd/id ");
  const { contextId: _, ...bare } = task;
  await client.reply(bare, [textPart("more")], { message: { messageId: "m" } });
  assert.deepEqual(seen[2]?.json.params.message, {
    messageId: "m",
    role: "ROLE_USER",
    parts: [{ text: "more" }],
    taskId: "t",
  });
});

test("OBJ-12: a part refers to an artifact by its metadata", () => {
  const part = textPart("Make it red", { metadata: artifactReference("t", "a") });
  assert.deepEqual(part, { text: "Make it red", metadata: { taskId: "t", artifactId: "a" } });
});

test("ART-06, ART-07, ART-09: events fold to the task that the agent would show", () => {
  const events = [chunkOf("1", false), chunkOf("2"), statusOf(completed), chunkOf("3")] as StreamResponse[];
  const before: Task = { ...task };
  const folded = foldTask(before, events);
  assert.deepEqual(folded, {
    ...task,
    status: completed,
    artifacts: [{ artifactId: "a", parts: [{ text: "1" }, { text: "2" }, { text: "3" }] }],
  });
  assert.deepEqual(before, task);
  assert.throws(() => Object.assign(folded, { id: "x" }), TypeError);
});

test("OP-PUSH-02: webhooks are flat objects of their task", async () => {
  const { client, seen } = await clientOf((request) => {
    const { method, params } = request.json;
    if (method.startsWith("List")) {
      return result(
        request,
        params.pageToken
          ? { configs: [{ url: "https://two.example" }] }
          : { configs: [], nextPageToken: "n" },
      );
    }
    return result(request, { taskId: "t", id: "p", url: "https://one.example" });
  });
  const configs = client.pushConfigs("t");
  const authentication = { scheme: "Bearer", credentials: "s" };
  await configs.create({ id: "p", url: "https://one.example", token: "k", authentication });
  assert.deepEqual(seen[0]?.json.params, {
    taskId: "t",
    id: "p",
    url: "https://one.example",
    token: "k",
    authentication,
  });
  assert.equal((await configs.get("p")).id, "p");
  const urls: string[] = [];
  for await (const { url } of configs.list()) urls.push(url);
  assert.deepEqual(urls, ["https://two.example"]);
  assert.equal(await configs.delete("p"), undefined);
  assert.equal(seen.length, 5);
});

test("PAGE-06: the end of a list is an empty token, not an empty page; filters stay the same", async () => {
  const pages = [
    { tasks: [task], nextPageToken: "2" },
    { tasks: [], nextPageToken: "3" },
    { tasks: [task], nextPageToken: "" },
  ];
  const { client, seen } = await clientOf((request, index) =>
    result(request, { ...pages[index], pageSize: 5, totalSize: 2 }),
  );
  const tasks: Received<Task>[] = [];
  for await (const one of client.iterateTasks({ contextId: "c", pageToken: "1" })) tasks.push(one);
  assert.equal(tasks.length, 2);
  assert.deepEqual(
    seen.map(({ json }) => json.params),
    ["1", "2", "3"].map((pageToken) => ({ contextId: "c", pageToken })),
  );
});

test("CLI-10: sends to one task can be held back until the one before is answered", async () => {
  for (const oneSendPerTask of [true, false]) {
    let open = 0;
    let most = 0;
    const { client } = await clientOf(
      async (request) => {
        open += 1;
        most = Math.max(most, open);
        await new Promise((resolve) => setTimeout(resolve, 2));
        open -= 1;
        return request.json.method === "SendMessage"
          ? result(request, { task })
          : eventStream(frames(request, [{ task }, statusOf(completed)], 1));
      },
      { oneSendPerTask },
    );
    const options = { message: { taskId: "t" } };
    await Promise.all([
      client.reply(task, "1"),
      client.stream("2", options).result(),
      client.reply(task, "3"),
    ]);
    assert.equal(most, oneSendPerTask ? 1 : 3);
    await Promise.all([client.sendText("a"), client.sendText("b")]);
    assert.ok(most >= 2);
  }
});

test("CLI-08, CLI-10: a send that waits for an earlier one can be aborted, and later ones keep waiting", async () => {
  let answer = (): void => undefined;
  const first = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { client, seen } = await clientOf(
    async (request) => {
      if (request.json.params.message.parts[0].text === "1") await first;
      return result(request, { task });
    },
    { oneSendPerTask: true },
  );
  const one = client.reply(task, "1");
  const stop = new AbortController();
  const two = client.reply(task, "2", { signal: stop.signal });
  const streamed = client.stream("3", { message: { taskId: task.id }, signal: stop.signal }).result();
  const four = client.reply(task, "4");
  stop.abort(new Error("enough"));
  await assert.rejects(two, /enough/);
  await assert.rejects(streamed, /enough/);
  assert.equal(seen.length, 1);
  answer();
  await Promise.all([one, four]);
  assert.deepEqual(
    seen.map(({ json }) => json.params.message.parts[0].text),
    ["1", "4"],
  );
});

test("a missing request is refused like any other that is not valid, with and without a queue", async () => {
  const refused = { code: "INVALID_REQUEST", message: /must be an object/ };
  for (const oneSendPerTask of [true, false]) {
    const { client } = await clientOf(() => assert.fail("nothing is sent"), { oneSendPerTask });
    await assert.rejects(client.sendMessage(undefined as never), refused);
    await assert.rejects(client.sendStreamingMessage(undefined as never).result(), refused);
    await assert.rejects(client.subscribeToTask(undefined as never).result(), refused);
  }
});

test("a stream is read once: a second reader goes on where the first one stopped", async () => {
  const { client, seen } = await clientOf((request) =>
    eventStream(frames(request, [{ task }, statusOf(completed)], 1)),
  );
  const stream = client.stream("x");
  assert.equal(seen.length, 0);
  await stream[Symbol.asyncIterator]().next();
  assert.equal((await stream.result()).task?.status.state, "TASK_STATE_COMPLETED");
  assert.equal((await stream.result()).task?.status.state, "TASK_STATE_COMPLETED");
  assert.equal(seen.length, 1);
});

test("a stream that was left before its first event has no result", async () => {
  const { client } = await clientOf((request) => eventStream(frames(request, [{ task }], 1)));
  const stream = client.stream("x");
  await stream[Symbol.asyncIterator]().return(undefined);
  await assert.rejects(stream.result(), { code: "CONNECTION_LOST" });
});
