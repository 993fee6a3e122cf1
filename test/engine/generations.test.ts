import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { artifact, completed, defineAgent, inputRequired, working } from "../../src/index.js";
import type { ServeOptions } from "../../src/server/index.js";
import { codec } from "../../src/versions/v1.1-draft/codec.js";
import { gate, testedBindings } from "../support/both.js";
import { onEachStore } from "../support/each-store.js";
import { grpcPeer } from "../support/grpc-peer.js";
import { collect, type Frame, type Peer, plainCard, serveFor, serveGrpc, text } from "../support/peer.js";

type Json = any;

const draft = { "A2A-Version": "1.1-draft" };

/** Works on the first message, and asks after it; completes the task with the second. */
async function* twoTurns({ task }: { readonly task: unknown }) {
  yield working();
  yield artifact({ artifactId: "a" }).text("one");
  if (task === undefined) yield inputRequired("Which?");
  else yield completed();
}

const agentOf = (execute: Json = twoTurns) => defineAgent({ card: plainCard, execute });

/** Serves an agent that speaks the draft, and calls it over each binding of the project. */
function onDraft(
  name: string,
  run: (peer: Peer, t: TestContext) => Promise<void>,
  { execute, ...more }: ServeOptions & { readonly execute?: Json } = {},
): void {
  const options = { versions: ["1.1-draft", "1.0"], ...more } as const;
  for (const binding of testedBindings) {
    test(`${name} [${binding}]`, async (t) => {
      if (binding !== "GRPC") {
        const { rpc, rest } = await serveFor(t, agentOf(execute), options);
        return run(binding === "JSONRPC" ? rpc : rest, t);
      }
      const { grpcAddress } = await serveGrpc(t, agentOf(execute), options);
      return run(await grpcPeer(t, grpcAddress, codec.grpc), t);
    });
  }
}

/** The generation in an event. */
const generationIn = ({ data }: Frame): unknown =>
  (data.task ?? data.statusUpdate ?? data.artifactUpdate).generation;

onDraft(
  "GEN-01, GEN-02, GEN-03, GEN-16: each event and each recorded message has a number of its own, one more each",
  async (peer) => {
    const frames = await collect(peer.stream("SendStreamingMessage", text("go"), { headers: draft }));
    assert.deepEqual(frames.map(generationIn), ["1", "2", "3"]);
    const { id } = (frames[0] as Frame).data.task;
    const task = await peer.call("GetTask", { id }, draft);
    assert.equal(task.result.generation, "3");
    const { tasks } = (await peer.call("ListTasks", {}, draft)).result;
    assert.deepEqual(
      tasks.map((one: Json) => [one.id, one.generation]),
      [[id, "3"]],
    );
    const next = await peer.call("SendMessage", text("more", { message: { taskId: id } }), draft);
    assert.equal(next.result.task.generation, "7");
  },
);

onDraft(
  "GEN-13: callers of the released version see no generation, and its new members have no effect",
  async (peer) => {
    const released = { "A2A-Version": "1.0" };
    if (peer.binding === "GRPC") return;
    const frames = await collect(peer.stream("SendStreamingMessage", text("go"), { headers: released }));
    assert.deepEqual(frames.map(generationIn), [undefined, undefined, undefined]);
    const { id } = (frames[0] as Frame).data.task;
    const configuration = { ifGenerationMatch: "99" };
    const read = await peer.call("GetTask", { id, currentGeneration: "3" }, released);
    assert.equal(read.result.status.state, "TASK_STATE_INPUT_REQUIRED");
    const sent = await peer.call(
      "SendMessage",
      text("more", { message: { taskId: id }, configuration }),
      released,
    );
    assert.equal(sent.result.task.generation, undefined);
    const canceled = await peer.call("SendMessage", text("go"), released);
    const { result } = await peer.call("CancelTask", { id: canceled.result.task.id }, draft);
    assert.equal(result.generation, "4");
  },
);

onDraft("GEN-07, GEN-08: a message for another generation is refused, and nothing changes", async (peer) => {
  const { result } = await peer.call("SendMessage", text("go"), draft);
  const { id } = result.task;
  const meantFor = (generation: string | number) =>
    text("more", { message: { taskId: id }, configuration: { ifGenerationMatch: generation } });
  for (const wrong of ["2", "4", "9223372036854775807"]) {
    const refused = await peer.call("SendMessage", meantFor(wrong), draft);
    assert.equal(refused.error, "TASK_GENERATION_MISMATCH", JSON.stringify(refused));
    assert.deepEqual(refused.metadata, { taskId: id, expectedGeneration: wrong, currentGeneration: "3" });
    assert.equal(refused.response.status, peer.binding === "JSONRPC" ? 200 : 409);
  }
  const streamed = await peer.call("SendStreamingMessage", meantFor("2"), draft);
  assert.equal(streamed.error, "TASK_GENERATION_MISMATCH");
  assert.equal((await peer.call("GetTask", { id }, draft)).result.generation, "3");
  // A number is accepted when it is read.
  const taken = await peer.call("SendMessage", meantFor(peer.binding === "GRPC" ? "3" : 3), draft);
  assert.equal(taken.result.task.status.state, "TASK_STATE_COMPLETED");
});

onDraft("GEN-09: the condition is ignored when the message makes a new task", async (peer) => {
  const { result } = await peer.call(
    "SendMessage",
    text("go", { configuration: { ifGenerationMatch: "99" } }),
    draft,
  );
  assert.equal(result.task.generation, "3");
});

onDraft(
  "GEN-04, GEN-06: a read is answered at once unless the caller has the current generation",
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("go"), draft);
    const { id } = result.task;
    for (const currentGeneration of ["0", "1", "2"]) {
      const read = await peer.call("GetTask", { id, currentGeneration }, draft);
      assert.equal(read.result.generation, "3");
    }
    await peer.call("CancelTask", { id }, draft);
    // Nothing can follow the end of a task.
    const ended = await peer.call("GetTask", { id, currentGeneration: "4" }, draft);
    assert.equal(ended.result.generation, "4");
  },
);

onDraft("GEN-05: a read of the current generation, or a later one, waits for the next", async (peer) => {
  const { result } = await peer.call("SendMessage", text("go"), draft);
  const { id } = result.task;
  let isAnswered = false;
  const waiting = peer.call("GetTask", { id, currentGeneration: "3" }, draft);
  const beyond = peer.call("GetTask", { id, currentGeneration: "6" }, draft);
  void Promise.race([waiting, beyond]).then(() => {
    isAnswered = true;
  });
  // A round trip over the same server: an answer at once would have come before it.
  await peer.call("GetTask", { id }, draft);
  assert.equal(isAnswered, false);
  await peer.call("SendMessage", text("more", { message: { taskId: id } }), draft);
  assert.ok(Number((await waiting).result.generation) > 3);
  assert.equal((await beyond).result.generation, "7");
});

onDraft(
  "GEN-05: a read that waits is answered after the time limit",
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("go"), draft);
    const read = await peer.call("GetTask", { id: result.task.id, currentGeneration: "3" }, draft);
    assert.equal(read.result.generation, "3");
  },
  { limits: { pollTime: 0.05 } },
);

onDraft(
  "GEN-05: a read that waits counts as an open stream",
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("go"), draft);
    const { id } = result.task;
    const polls = [1, 2].map(() => peer.call("GetTask", { id, currentGeneration: "3" }, draft));
    const refused = await Promise.race(polls);
    assert.equal(refused.error, "RATE_LIMITED");
    await peer.call("CancelTask", { id }, draft);
    assert.deepEqual((await Promise.all(polls)).map(({ error }) => error).sort(), [
      "RATE_LIMITED",
      undefined,
    ]);
  },
  { limits: { streamsPerPrincipal: 1 } },
);

if (!testedBindings.includes("GRPC")) {
  test("GEN-05: reads that wait are answered when the server stops", async (t) => {
    const server = await serveFor(t, agentOf(), { versions: ["1.1-draft"] });
    const { result } = await server.rpc.call("SendMessage", text("go"), draft);
    const poll = server.rpc.call("GetTask", { id: result.task.id, currentGeneration: "3" }, draft);
    await server.rpc.call("GetTask", { id: result.task.id }, draft);
    await server.close();
    assert.equal((await poll).result.generation, "3");
  });

  test("GEN-08: of messages for the same generation one is taken, while the executor works as well", async (t) => {
    const { open, opened } = gate();
    const execute = async function* ({ text: words }: { readonly text: string }) {
      yield working();
      if (words === "go") await opened;
      yield inputRequired("Next?");
    };
    const { rpc } = await serveFor(t, agentOf(execute), { versions: ["1.1-draft"] });
    const configuration = { returnImmediately: true };
    const { result } = await rpc.call("SendMessage", text("go", { configuration }), draft);
    const { id, generation } = result.task;
    const send = (ifGenerationMatch: string) =>
      rpc.call(
        "SendMessage",
        text("more", { message: { taskId: id }, configuration: { ...configuration, ifGenerationMatch } }),
        draft,
      );
    const answers = await Promise.all([1, 2, 3, 4].map(() => send(generation)));
    assert.deepEqual(answers.map(({ error }) => error ?? "taken").sort(), [
      "TASK_GENERATION_MISMATCH",
      "TASK_GENERATION_MISMATCH",
      "TASK_GENERATION_MISMATCH",
      "taken",
    ]);
    const after = await rpc.call("GetTask", { id }, draft);
    assert.equal(Number(after.result.generation), Number(generation) + 1);
    open();
    const waited = await rpc.call("GetTask", { id, currentGeneration: after.result.generation }, draft);
    assert.ok(Number(waited.result.generation) > Number(after.result.generation));
  });

  onEachStore("GEN-04, GEN-05, GEN-08: generations, conditions and waiting reads", async (store, t) => {
    const { rpc, rest } = await serveFor(t, agentOf(), { store, versions: ["1.1-draft", "1.0"] });
    const { result } = await rpc.call("SendMessage", text("go"), draft);
    const { id } = result.task;
    assert.equal(result.task.generation, "3");
    const waiting = [rpc, rest].map((peer) => peer.call("GetTask", { id, currentGeneration: "3" }, draft));
    const configuration = { ifGenerationMatch: "3" };
    const answers = await Promise.all(
      [1, 2, 3].map(() =>
        rest.call("SendMessage", text("more", { message: { taskId: id }, configuration }), draft),
      ),
    );
    assert.deepEqual(answers.map(({ error }) => error).sort(), [
      "TASK_GENERATION_MISMATCH",
      "TASK_GENERATION_MISMATCH",
      undefined,
    ]);
    for (const poll of waiting) assert.ok(Number((await poll).result.generation) > 3);
    assert.equal((await rest.call("GetTask", { id }, draft)).result.generation, "7");
  });
}
