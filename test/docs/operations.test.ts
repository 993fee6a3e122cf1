import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "vitest";
import { CardSignatureError, connect } from "../../src/client/index.js";
import type { AuditEvent, RunningServer } from "../../src/server/index.js";
import { resolveLimits } from "../../src/server/limits.js";
import { rpcPeer, text } from "../support/peer.js";
import { root } from "../support/root.js";
import { codeBlocks, run } from "./code-blocks.js";

const blocks = codeBlocks("docs/operations.md");
const shown = new Set<string>();

/** Runs a block of the page and shows what the page says of it. */
function page<Names>(name: string, show: (names: Names & { server: RunningServer }) => Promise<void>): void {
  shown.add(name);
  test(`docs/operations.md, ${name}: does what the page says`, async (t: TestContext) => {
    const block = blocks.find((one) => one.name === name);
    assert.ok(block, `the page has no block ${name}`);
    const names = (await run(block)) as Names & { server: RunningServer };
    t.onTestFinished(() => names.server.close(0));
    await show(names);
  });
}

page("limited", async ({ server }) => {
  const { call } = rpcPeer(server.url);
  const parts = Array.from({ length: 6 }, () => ({ text: "x" }));
  const many = await call("SendMessage", text("", { message: { parts } }));
  assert.deepEqual([many.error, many.fields], ["INVALID_PARAMS", ["message.parts"]]);
  const large = await call("SendMessage", text("x".repeat(64 * 1024)));
  assert.deepEqual([large.error, large.response.status], ["REQUEST_TOO_LARGE", 413]);
  const rest = await Promise.all(Array.from({ length: 30 }, () => call("SendMessage", text("x"))));
  const refused = rest.filter(({ error }) => error === "RATE_LIMITED");
  assert.ok(refused.length > 0 && refused.length < 30);
  for (const { response } of refused) assert.ok(Number(response.headers.get("retry-after")) > 0);
});

page<{ stop: () => Promise<void> }>("stopping", async ({ server, stop }) => {
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  process.removeListener("SIGTERM", stop);
  await stop();
  await assert.rejects(fetch(`${server.url}/readyz`));
});

page<{ trail: AuditEvent[]; times: string[] }>("watched", async ({ server, trail, times }) => {
  const { call } = rpcPeer(server.url);
  await call("SendMessage", text("x"));
  assert.match(times.join(), /^SendMessage: \d+ ms$/);
  assert.deepEqual(trail, []);
});

page("traced", async ({ server }) => {
  assert.ok((await rpcPeer(server.url).call("SendMessage", text("x"))).result);
});

page<{ read: () => Promise<string> }>("prometheus", async ({ server, read }) => {
  assert.equal((await fetch(`${server.url}/metrics`)).status, 403);
  assert.match(await read(), /a2a_server_executions/);
});

page<{ publicKey: KeyObject }>("signed", async ({ server, publicKey }) => {
  const keys = [{ kid: "2025-01", key: publicKey, alg: "ES256" }];
  assert.equal((await connect(server.url, { signatures: { keys } })).card.name, "Echo");
  const others = [{ ...keys[0]!, key: generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey }];
  await assert.rejects(connect(server.url, { signatures: { keys: others } }), CardSignatureError);
});

test("docs/operations.md names every option", () => {
  const words = readFileSync(join(root, "docs/operations.md"), "utf8").split("## Every option")[1] ?? "";
  const listed = words
    .split("\n")
    .flatMap((line) => line.match(/^\| (`[^|]*`) \|/)?.[1]?.match(/\w+/g) ?? []);
  const named = ["koa/serve.ts", "settings.ts"].flatMap((file) => {
    const text = readFileSync(join(root, "src/server", file), "utf8");
    const body = /export interface Serve[r]?Options[^{]*\{\n(.*?)\n\}/s.exec(text)?.[1] ?? "";
    return [...body.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, name]) => name);
  });
  assert.ok(named.length > 20);
  assert.deepEqual(listed.sort(), named.sort());
});

test("docs/operations.md names every limit with its default", () => {
  const words = readFileSync(join(root, "docs/operations.md"), "utf8");
  const units: Record<string, string> = {
    ...{ body: "10 MiB", headers: "16 KiB", metadata: "64 KiB", page: "8 MiB" },
    ...{ taskBytes: "32 MiB", messages: "128 MiB", messagesPerPrincipal: "32 MiB" },
    ...{ unsent: "128 MiB", unsentPerPrincipal: "32 MiB", bodies: "64 MiB", bodiesPerAddress: "32 MiB" },
  };
  for (const [name, value] of Object.entries(resolveLimits())) {
    const row = words.split("\n").find((line) => line.startsWith(`| \`${name}\` |`));
    assert.ok(row?.includes(units[name] ?? value.toLocaleString("en")), `${name}: ${value}`);
  }
});

test("every block of docs/operations.md is run", () => {
  assert.deepEqual(
    blocks.map(({ name }) => name),
    [...shown],
  );
});
