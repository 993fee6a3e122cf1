import assert from "node:assert/strict";
import { test } from "vitest";
import { ClientError, connect, foldTask, RemoteError } from "../../src/client/index.js";
import { completed, type ExecutionContext, inputRequired, working } from "../../src/index.js";
import { gate } from "../support/both.js";
import { serveExecutor } from "../support/peer.js";

const draft = ["1.1-draft"] as const;
const generationOf = (task: object | undefined) => (task as { generation?: string } | undefined)?.generation;

async function* asking({ task }: ExecutionContext) {
  yield working();
  yield task === undefined ? inputRequired("Which?") : completed();
}

/** Counts the calls by operation, and notes the versions that they name. */
function watchedFetch() {
  const calls: string[] = [];
  const versions = new Set<string | null>();
  const watched: typeof fetch = (input, init) => {
    if (typeof init?.body === "string") {
      calls.push(JSON.parse(init.body).method);
      versions.add(new Headers(init.headers).get("A2A-Version"));
    }
    return fetch(input, init);
  };
  return { calls, versions, fetch: watched };
}

test("GEN-12: the draft is spoken where the options of both sides name it, and nowhere else", async (t) => {
  const { url } = await serveExecutor(t, asking, { versions: ["1.1-draft", "1.0"] });
  for (const [versions, version, generation] of [
    [undefined, "1.0", undefined],
    [draft, "1.1-draft", "2"],
  ] as const) {
    const watched = watchedFetch();
    const client = await connect(url, { ...(versions && { versions }), fetch: watched.fetch });
    assert.equal(client.agentInterface.protocolVersion, version);
    const { task } = await client.sendText("go");
    assert.equal(generationOf(task), generation);
    assert.deepEqual([...watched.versions], [version]);
  }
  const released = await serveExecutor(t, asking);
  await assert.rejects(connect(released.url, { versions: draft }), { code: "NO_INTERFACE" });
});

test("GEN-07: with ifUnchanged a message is taken only if the task is as it was received", async (t) => {
  const { url } = await serveExecutor(t, asking, { versions: ["1.1-draft", "1.0"] });
  const client = await connect(url, { versions: draft });
  const { task } = await client.sendText("go");
  assert.ok(task);
  const { task: second } = await client.sendText("this", { ifUnchanged: task });
  assert.equal(second?.id, task.id);
  assert.equal(second?.status.state, "TASK_STATE_COMPLETED");
  const refused = await client.reply(task, "that", { ifUnchanged: task }).catch((error: unknown) => error);
  assert.ok(refused instanceof RemoteError, String(refused));
  assert.equal(refused.code, "TASK_GENERATION_MISMATCH");
  assert.equal(refused.name, "TaskGenerationMismatchError");
  assert.deepEqual(refused.metadata, { taskId: task.id, expectedGeneration: "2", currentGeneration: "5" });
  const stream = client.stream("that", { ifUnchanged: task });
  await assert.rejects(stream.result(), { code: "TASK_GENERATION_MISMATCH" });

  const older = await connect(url);
  const { task: uncounted } = await older.sendText("go");
  assert.ok(uncounted);
  for (const caller of [client, older]) {
    const missing: unknown = await caller
      .sendText("x", { ifUnchanged: uncounted })
      .catch((error: unknown) => error);
    assert.ok(missing instanceof ClientError && missing.code === "INVALID_REQUEST", String(missing));
    assert.equal(missing.field, "configuration.ifGenerationMatch");
  }
});

test("GEN-07: ifUnchanged names the task of a message whose options have an undefined task id", async (t) => {
  const { url } = await serveExecutor(t, asking, { versions: draft });
  const client = await connect(url, { versions: draft });
  const { task } = await client.sendText("go");
  assert.ok(task);
  const options = { ifUnchanged: task, message: { taskId: undefined } };
  const { task: after } = await client.sendText("this", options);
  assert.equal(after?.id, task.id);
});

test("GEN-07: the task of a stream has the generation of its last event, so that a message can be sent for it", async (t) => {
  const { url } = await serveExecutor(t, asking, { versions: draft });
  const client = await connect(url, { versions: draft });
  const stream = client.stream("go");
  const { task } = await stream.result();
  assert.ok(task);
  assert.equal(generationOf(task), generationOf(await client.getTask({ id: task.id })));
  const { task: after } = await client.sendText("this", { ifUnchanged: task });
  assert.equal(after?.status.state, "TASK_STATE_COMPLETED");

  const update = { taskId: task.id, contextId: "c", status: { state: "TASK_STATE_WORKING" as const } };
  const folded = foldTask(task, [{ statusUpdate: { ...update, generation: "9" } as typeof update }]);
  assert.equal(generationOf(folded), "9");
  // A task does not keep a number that is no longer its own.
  const uncounted = foldTask(folded, [{ statusUpdate: update }]);
  assert.ok(!("generation" in uncounted));
});

test("waitForTask with intervals has no reads held", async (t) => {
  const { url } = await serveExecutor(
    t,
    async function* () {
      yield working();
      yield inputRequired("Which?");
    },
    { versions: draft },
  );
  const held: boolean[] = [];
  const client = await connect(url, {
    versions: draft,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      const { method, params } = JSON.parse(String(init?.body ?? "{}"));
      if (method !== "GetTask") return response;
      held.push("currentGeneration" in params);
      const { id, result } = (await response.json()) as { id: number; result: object };
      const state = held.length < 3 ? "TASK_STATE_WORKING" : "TASK_STATE_COMPLETED";
      return Response.json({ jsonrpc: "2.0", id, result: { ...result, status: { state } } });
    },
  });
  const { task } = await client.sendText("go");
  await client.waitForTask(task?.id ?? "", { via: "poll", interval: { first: 0.001, longest: 0.001 } });
  assert.deepEqual(held, [false, false, false]);
});

test("GEN-05: waitForTask has its reads held, so that it asks no more often than the task changes", async (t) => {
  const { open, opened } = gate();
  const { url } = await serveExecutor(
    t,
    async function* () {
      yield working();
      await opened;
      yield completed();
    },
    { versions: ["1.1-draft"] },
  );
  const watched = watchedFetch();
  const client = await connect(url, {
    versions: draft,
    fetch: watched.fetch,
    polling: { first: 60, longest: 60 },
  });
  const { task } = await client.sendText("go", { configuration: { returnImmediately: true } });
  const waiting = client.waitForTask(task?.id ?? "");
  // The second read waits for what comes after the task as it is.
  while (watched.calls.filter((name) => name === "GetTask").length < 2) await new Promise(setImmediate);
  open();
  assert.equal((await waiting).status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(watched.calls, ["SendMessage", "GetTask", "GetTask"]);
});

test("a wait goes on with ordinary reads when a held read fails over to an interface without generations", async (t) => {
  for (const older of ["1.0", "0.3"] as const) {
    const { url } = await serveExecutor(t, asking, { versions: ["1.1-draft", older] });
    const { card } = await connect(url, { versions: [...draft, older] });
    const entry = { url: "https://agent.example/draft", protocolBinding: "JSONRPC" };
    const reads: [string, unknown][] = [];
    const answers: typeof fetch = async (input, init) => {
      const { method, id, params } = JSON.parse(String(init?.body));
      const isDraft = String(input) === entry.url;
      reads.push([method, params.currentGeneration]);
      if (isDraft && reads.length > 1) throw new TypeError("fetch failed");
      const state = reads.length < 5 ? "TASK_STATE_WORKING" : "TASK_STATE_COMPLETED";
      // The other interface also sends a number, which the client ignores there.
      const task = { id: params.id, contextId: "c", status: { state }, generation: String(reads.length) };
      const status = { state: state.slice("TASK_STATE_".length).toLowerCase() };
      const result = isDraft || older === "1.0" ? task : { ...task, kind: "task", status };
      return Response.json({ jsonrpc: "2.0", id, result });
    };
    const supportedInterfaces = [
      { ...entry, protocolVersion: "1.1-draft" },
      { ...entry, url: "https://agent.example/older", protocolVersion: older },
    ];
    const client = await connect(
      { ...card, supportedInterfaces },
      {
        versions: [...draft, older],
        fetch: answers,
        polling: { first: 0.001, longest: 0.001 },
        retry: false,
      },
    );
    assert.equal((await client.waitForTask("t")).status.state, "TASK_STATE_COMPLETED");
    const name = older === "1.0" ? "GetTask" : "tasks/get";
    assert.deepEqual(reads, [
      ["GetTask", undefined],
      ["GetTask", "1"],
      [name, undefined],
      [name, undefined],
      [name, undefined],
    ]);
  }
});

test("GEN-11: waitForTask pauses between its reads when the agent answers at once, or numbers nothing", async (t) => {
  for (const generation of ["3", "0", undefined]) {
    const { url } = await serveExecutor(t, asking, { versions: ["1.1-draft"] });
    let reads = 0;
    const answers: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (typeof init?.body !== "string") return response;
      const { method, id, params } = JSON.parse(init.body);
      if (method !== "GetTask") return response;
      reads += 1;
      // Only the first read has been answered, so that the second one may ask for more than the agent has.
      if (reads > 2) assert.equal(params.currentGeneration, undefined);
      const state = reads < 4 ? "TASK_STATE_WORKING" : "TASK_STATE_COMPLETED";
      const task = { id: params.id, contextId: "c", status: { state }, generation };
      return new Response(JSON.stringify({ jsonrpc: "2.0", id, result: task }), {
        headers: { "Content-Type": "application/json" },
      });
    };
    const client = await connect(url, {
      versions: draft,
      fetch: answers,
      polling: { first: 0.001, longest: 0.001 },
    });
    assert.equal((await client.waitForTask("t")).status.state, "TASK_STATE_COMPLETED");
    assert.equal(reads, 4);
  }
});

test("waitForTask begins to pause with the shortest interval after reads that needed none", async (t) => {
  const { url } = await serveExecutor(t, asking, { versions: ["1.1-draft"] });
  let reads = 0;
  const answers: typeof fetch = async (input, init) => {
    if (typeof init?.body !== "string") return fetch(input, init);
    const { id, params } = JSON.parse(init.body);
    reads += 1;
    const state = reads < 30 ? "TASK_STATE_WORKING" : "TASK_STATE_COMPLETED";
    // Each read has a new generation, and then one has the same again.
    const task = {
      id: params.id,
      contextId: "c",
      status: { state },
      generation: String(Math.min(reads, 25)),
    };
    return Response.json({ jsonrpc: "2.0", id, result: task });
  };
  const client = await connect(url, {
    versions: draft,
    fetch: answers,
    polling: { first: 0.001, longest: 600 },
  });
  assert.equal((await client.waitForTask("t")).status.state, "TASK_STATE_COMPLETED");
});

test("GEN-11: a wait goes on when the time limit of calls ends a read that the agent holds", async (t) => {
  const { url } = await serveExecutor(t, asking, { versions: ["1.1-draft"] });
  const reads: unknown[] = [];
  const answers: typeof fetch = async (input, init) => {
    if (typeof init?.body !== "string") return fetch(input, init);
    const { id, params } = JSON.parse(init.body);
    reads.push(params.currentGeneration);
    if (params.currentGeneration !== undefined) return new Promise(() => undefined);
    const state = reads.length < 3 ? "TASK_STATE_WORKING" : "TASK_STATE_COMPLETED";
    const task = { id: params.id, contextId: "c", status: { state }, generation: String(reads.length) };
    return Response.json({ jsonrpc: "2.0", id, result: task });
  };
  const client = await connect(url, { versions: draft, fetch: answers, timeouts: { total: 1 } });
  assert.equal((await client.waitForTask("t")).status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(reads, [undefined, "1", undefined]);
});
