import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "vitest";
import { lostWork } from "../../../src/server/fetch/lost-work.js";
import { MemoryStore } from "../../../src/stores/index.js";
import { root } from "../../support/root.js";

const waitUntil = () => undefined;

test("what a platform that stops processes cannot promise is said of the options that are given", () => {
  const store = new MemoryStore();
  assert.equal(lostWork({ store }, { waitUntil }), undefined);
  assert.match(lostWork({}, { waitUntil }) ?? "", /: tasks are in its memory[^;]*$/);
  assert.match(lostWork({ store }, {}) ?? "", /: executors stop with it[^;]*$/);
  assert.match(lostWork({ store, push: {} }, { waitUntil }) ?? "", /: webhooks[^;]*handler\.tick\(\)$/);
});

/** Answers a request in a process of its own, in which the platform is known by its variables. */
const program = `
import { createHandler } from "./src/server/fetch/index.ts";
const agent = { card: { name: "Lost", description: "Work." }, execute: async () => undefined };
const lines = [];
const logger = { debug() {}, info() {}, error() {}, warn: (_facts, text) => lines.push(text) };
const handler = createHandler(agent, { logger });
for (let count = 0; count < 2; count += 1) await handler(new Request("https://agent.example/healthz"));
await handler.close(0);
process.stdout.write(JSON.stringify(lines));
`;

test("it is said once, with the first request, where the environment names such a platform", () => {
  const linesWith = (more: Record<string, string>): string[] => {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--import", "tsx", "--input-type=module", "-e", program],
      { cwd: root, env: { ...process.env, ...more }, encoding: "utf8" },
    );
    return JSON.parse(stdout || assert.fail(stderr));
  };
  const [line = "", ...more] = linesWith({ VERCEL: "1" });
  assert.match(line, /^This platform may stop the process after a response: /);
  assert.deepEqual(more, []);
  assert.deepEqual(linesWith({ VERCEL: "" }), []);
});

test("the edge runtime of Next.js is such a platform, and an unknown one is not", () => {
  const outlivesResponses = (before: string): string => {
    const text = `${before}; const { runtime } = await import("./src/runtime/web.ts"); process.stdout.write(String(runtime.outlivesResponses))`;
    const args = ["--import", "tsx", "--input-type=module", "-e", text];
    return spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" }).stdout;
  };
  assert.equal(outlivesResponses('globalThis.EdgeRuntime = "edge-runtime"'), "false");
  assert.equal(outlivesResponses(""), "true");
});
