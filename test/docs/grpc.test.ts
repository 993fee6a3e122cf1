import assert from "node:assert/strict";
import { test } from "vitest";
import type { RunningServer } from "../../src/server/index.js";
import { grpcPeer } from "../support/grpc-peer.js";
import { text } from "../support/peer.js";
import { codeBlocks, run } from "./code-blocks.js";

test("docs/grpc.md, serving and calling: do what the page says", async (t) => {
  const block = codeBlocks("docs/grpc.md").find(({ name }) => name === "serving");
  assert.ok(block);
  const { server } = (await run(block)) as { server: RunningServer };
  t.onTestFinished(() => server.close(0));
  const { call } = await grpcPeer(t, server.grpcAddress ?? "");
  const { result } = await call("SendMessage", text("hello"));
  assert.equal(result.task.status.message.parts[0].text, "hello");
  const calling = codeBlocks("docs/grpc.md").find(({ name }) => name === "calling");
  assert.ok(calling);
  const { ask } = (await run(calling)) as { ask: (url: string) => Promise<unknown> };
  assert.deepEqual(await ask(server.url), [{ text: "hello" }]);
});
