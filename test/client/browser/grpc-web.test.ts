import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build } from "esbuild";
import { type TestContext, test } from "vitest";
import { artifact, completed, type Executor } from "../../../src/index.js";
import { serveGrpc } from "../../support/peer.js";
import { root } from "../../support/root.js";
import { forBrowsers } from "../bundle/bundle-client.js";
import { executable, startChromium } from "./chromium.js";

const skip = executable === undefined;

/** Serves a page with the program. */
async function servePage(t: TestContext): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, "test/client/browser/grpc-web-client.ts")],
    bundle: true,
    format: "iife",
    platform: "browser",
    alias: forBrowsers,
    write: false,
    logLevel: "silent",
  });
  const page = createServer((request, response) => {
    const isScript = request.url === "/program.js";
    const body = isScript ? outputFiles[0]?.text : '<!doctype html><script src="/program.js"></script>';
    const type = `text/${isScript ? "javascript" : "html"}; charset=utf-8`;
    response.writeHead(200, { "Content-Type": type }).end(body);
  });
  page.listen(0, "127.0.0.1");
  await once(page, "listening");
  t.onTestFinished(() => void page.close());
  return `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
}

const words: Executor = async function* () {
  const answer = artifact({ name: "answer" });
  for (let number = 1; number <= 50; number++) yield answer.text(`${number} `);
  yield completed();
};

test("a page in a browser calls an agent of another origin over gRPC-Web and Connect, with each library", {
  skip,
}, async (t) => {
  const origin = await servePage(t);
  const card = { name: "Counter", description: "Counts." };
  const { url } = await serveGrpc(
    t,
    { card, execute: words },
    { cors: [origin], grpc: { web: true }, bindings: ["GRPC"] },
  );
  const browser = await startChromium();
  t.onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(origin);
  const [ours, ...others] = (await page.evaluate(`all(${JSON.stringify(url)})`)) as object[];
  const text = Array.from({ length: 50 }, (_, index) => `${index + 1} `).join("");
  const binding = "https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md";
  assert.deepEqual(ours, { binding, sent: text, text, missing: "TASK_NOT_FOUND" });
  assert.equal(others.length, 2);
  for (const other of others) assert.deepEqual(other, { state: 3, events: 52, code: 5, details: 1 });
});
