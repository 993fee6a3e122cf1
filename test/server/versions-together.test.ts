import assert from "node:assert/strict";
import { test } from "vitest";
import { artifact, completed, working } from "../../src/index.js";
import { serveExecutor } from "../support/peer.js";

type Json = any;

test("LEG-03: one task, followed in three versions at once: all see every event, each in its own shape", async (t) => {
  let go = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { url } = await serveExecutor(
    t,
    async function* () {
      yield working("waiting for company");
      await ready;
      const made = artifact({ name: "result" });
      yield made.text("a");
      yield working("more");
      yield made.text("b", { last: true });
      yield completed("done");
    },
    { versions: ["1.0", "0.3", "0.1"] },
  );
  const open = async (method: string, params: object, version?: string) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(version && { "A2A-Version": version }) },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const frames = framesOf(response);
    return { first: (await frames.next()).value, rest: collected(frames) };
  };
  const said = { role: "user", parts: [{ type: "text", text: "go" }] };
  const draft = await open("tasks/sendSubscribe", { id: "shared", message: said });
  const older = await open("tasks/resubscribe", { id: "shared" }, "0.3");
  const newest = await open("SubscribeToTask", { id: "shared" }, "1.0");
  go();
  assert.deepEqual(
    [draft.first.status.state, older.first.status.state, newest.first.task.status.state],
    ["working", "working", "TASK_STATE_WORKING"],
  );
  const text = (parts: Json[] = []) => parts.map((part) => part.text).join();
  const told = await Promise.all([draft.rest, older.rest, newest.rest]);
  const [inDraft, inOlder, inNewest] = [
    told[0].map(({ status, artifact: made, final }: Json) => [
      status?.state ?? text(made.parts),
      final ?? made?.lastChunk,
    ]),
    told[1].map(({ kind, status, artifact: made, final, lastChunk }: Json) => [
      status?.state ?? text(made.parts),
      kind === "status-update" ? final : lastChunk,
    ]),
    told[2].map(({ statusUpdate, artifactUpdate }: Json) => [
      statusUpdate?.status.state ?? text(artifactUpdate.artifact.parts),
      artifactUpdate?.lastChunk,
    ]),
  ];
  assert.deepEqual(inDraft, [
    ["a", undefined],
    ["working", false],
    ["b", true],
    ["completed", true],
  ]);
  assert.deepEqual(inOlder, [
    ["a", false],
    ["working", false],
    ["b", true],
    ["completed", true],
  ]);
  assert.deepEqual(inNewest, [
    ["a", undefined],
    ["TASK_STATE_WORKING", undefined],
    ["b", true],
    ["TASK_STATE_COMPLETED", undefined],
  ]);
});

/** The results in the frames of a stream, as they come. */
async function* framesOf(response: Response): AsyncGenerator<Json> {
  assert.ok(response.body);
  let rest = "";
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + piece).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data) yield JSON.parse(data).result;
    }
  }
}

async function collected(frames: AsyncIterable<Json>): Promise<Json[]> {
  const all: Json[] = [];
  for await (const frame of frames) all.push(frame);
  return all;
}
