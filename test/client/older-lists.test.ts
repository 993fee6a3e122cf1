import assert from "node:assert/strict";
import { test } from "vitest";
import { connect, textOf } from "../../src/client/index.js";
import { artifact, completed } from "../../src/index.js";
import { serveExecutor } from "../support/peer.js";

test("VER-07: tasks of an agent of 0.3 are listed over HTTP+JSON, and over JSON-RPC the client says that it cannot", async (t) => {
  const { url } = await serveExecutor(
    t,
    async function* () {
      yield artifact({ name: "result" }).text("done");
      yield completed();
    },
    { versions: ["1.0", "0.3"] },
  );
  const rest = await connect(url, { versions: ["0.3"], bindings: ["HTTP+JSON"] });
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1) ids.push((await rest.sendText("go")).task!.id);
  const first = await rest.listTasks({ pageSize: 2, includeArtifacts: true });
  assert.deepEqual([first.tasks.length, first.totalSize], [2, 3]);
  assert.equal(textOf(first.tasks[0]!.artifacts![0]!), "done");
  const { tasks, nextPageToken } = await rest.listTasks({ pageSize: 2, pageToken: first.nextPageToken });
  assert.equal(nextPageToken, "");
  assert.deepEqual(new Set([...first.tasks, ...tasks].map(({ id }) => id)), new Set(ids));
  const { contextId } = tasks[0]!;
  const { tasks: own } = await rest.listTasks({ contextId: contextId!, status: "TASK_STATE_COMPLETED" });
  assert.deepEqual(
    own.map(({ id, artifacts }) => [id, artifacts]),
    [[tasks[0]!.id, undefined]],
  );
  assert.deepEqual((await rest.listTasks({ status: "TASK_STATE_WORKING" })).tasks, []);
  await assert.rejects(rest.listTasks({ pageToken: "other" }), {
    code: "INVALID_REQUEST",
    field: "pageToken",
  });

  const rpc = await connect(url, { versions: ["0.3"], bindings: ["JSONRPC"] });
  await assert.rejects(rpc.listTasks({}), {
    code: "CAPABILITY_MISSING",
    message: "There is no operation ListTasks in protocol version 0.3 over JSONRPC",
  });
});
