import assert from "node:assert/strict";
import { test } from "vitest";
import { completed, reply } from "../../src/index.js";
import { plainCard, serveFor } from "../support/peer.js";
import { codeBlocks, run } from "./code-blocks.js";

type Relay = (url: string, call: { id: unknown; method: string; params: unknown }) => Promise<any>;

test("docs/versions.md, gateway: answers a caller of 0.3 for an agent of 1.0, errors included", async (t) => {
  const block = codeBlocks("docs/versions.md").find(({ name }) => name === "gateway");
  assert.ok(block);
  const { relay } = (await run(block)) as { relay: Relay };
  const { url } = await serveFor(
    t,
    {
      card: plainCard,
      async *execute({ text }) {
        yield text === "work" ? completed("done") : reply(text);
      },
    },
    { versions: ["1.0"] },
  );
  const call = (method: string, params: unknown) => relay(url, { id: "a", method, params });
  const send = (text: string) =>
    call("message/send", {
      message: { kind: "message", messageId: text, role: "user", parts: [{ kind: "text", text }] },
    });
  const { id, jsonrpc, result } = await send("hello");
  assert.deepEqual([jsonrpc, id, result.kind, result.role], ["2.0", "a", "message", "agent"]);
  assert.deepEqual(result.parts, [{ kind: "text", text: "hello" }]);
  const task = (await send("work")).result;
  assert.deepEqual([task.kind, task.status.state], ["task", "completed"]);
  assert.deepEqual((await call("tasks/get", { id: task.id })).result, task);
  assert.equal((await call("tasks/get", { id: "none" })).error.code, -32001);
  assert.equal((await call("tasks/get", {})).error.code, -32602);
  assert.equal((await call("GetTask", { id: task.id })).error.code, -32601);
});
