import assert from "node:assert/strict";
import { test } from "vitest";
import { completed, type Executor, inputRequired } from "../../src/index.js";
import { serveExecutor } from "../support/peer.js";

type Json = any;

const execute: Executor = async function* ({ text }) {
  if (text === "ask") yield inputRequired("which?");
  else yield completed();
};

const message = (text: string) => ({ role: "user", parts: [{ type: "text", text }] });

test("a task that its client does not name has a name all the same, and is read by it", async (t) => {
  const { url } = await serveExecutor(t, execute, { versions: ["1.0", "0.3", "0.1"] });
  const call = async (method: string, params: object): Promise<Json> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "Content-Type": "application/json" };
    const { result, error }: Json = await (await fetch(url, { method: "POST", headers, body })).json();
    return result ?? error;
  };
  const { id, status } = await call("tasks/send", { message: message("ask") });
  assert.equal(status.state, "input-required");
  const done = await call("tasks/send", { taskId: id, message: message("go") });
  assert.deepEqual([done.id, done.status.state], [id, "completed"]);
  assert.equal((await call("tasks/get", { taskId: id })).status.state, "completed");
  assert.notEqual((await call("tasks/send", { message: message("ask") })).id, id);
});
