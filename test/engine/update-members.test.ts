import assert from "node:assert/strict";
import { test } from "vitest";
import { artifact, completed, working } from "../../src/index.js";
import { serveExecutor, text } from "../support/peer.js";

test("an undefined member of an update counts as absent", async (t) => {
  const { rpc } = await serveExecutor(t, async function* () {
    const none = undefined as never;
    yield { ...working(), message: none, artifactUpdate: none };
    yield { ...artifact().text("kept"), statusUpdate: none };
    yield completed();
  });
  const { task } = (await rpc.call("SendMessage", text("go"))).result;
  assert.equal(task.status.state, "TASK_STATE_COMPLETED");
  assert.equal(task.artifacts[0].parts[0].text, "kept");
});

test("the refusal of the update that creates a task names the member of the update", async (t) => {
  const refusals: unknown[] = [];
  const { rpc } = await serveExecutor(t, async function* () {
    const { statusUpdate } = working();
    const wrong = [
      { ...statusUpdate, metadata: 5 },
      {
        ...statusUpdate,
        status: { ...statusUpdate.status, message: { messageId: "m", role: "ROLE_AGENT" } },
      },
    ];
    for (const one of wrong)
      try {
        yield { statusUpdate: one as never };
      } catch (error) {
        refusals.push((error as Error).message);
      }
    yield completed();
  });
  await rpc.call("SendMessage", text("go"));
  assert.deepEqual(refusals, [
    "statusUpdate.metadata must be an object",
    "statusUpdate.status.message.parts is required",
  ]);
});

test("OBJT-08: metadata that are not an object are refused in the update that creates a task, too", async (t) => {
  const refusals: string[] = [];
  const { rpc } = await serveExecutor(t, async function* () {
    for (const metadata of [0, "", false]) {
      try {
        yield { statusUpdate: { status: { state: "TASK_STATE_WORKING" }, metadata: metadata as never } };
      } catch (error) {
        refusals.push((error as Error).message);
      }
    }
    yield completed();
  });
  await rpc.call("SendMessage", text("go"));
  assert.equal(refusals.length, 3);
  for (const refusal of refusals) assert.match(refusal, /metadata must be an object$/);
});
