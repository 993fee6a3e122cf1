import assert from "node:assert/strict";
import { test } from "vitest";
import { completed, type Executor } from "../../src/index.js";
import { openViewer } from "../../src/server/documents/api-viewer.js";
import { createApp } from "../../src/server/index.js";
import { koaTest } from "../support/koa-test.js";
import { plainCard, serveExecutor } from "../support/peer.js";

const done: Executor = async function* () {
  yield completed();
};

koaTest(
  "with the option docs the OpenAPI document is shown at /docs, from files of this server alone",
  async (t) => {
    const card = { ...plainCard, name: "<Rates & more>" };
    const { url } = await serveExecutor(t, done, { docs: true }, { card });
    const page = await fetch(`${url}/docs`);
    assert.equal(page.status, 200);
    assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
    const policy = page.headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'; script-src 'self';/);
    const html = await page.text();
    assert.match(html, /<title>&#60;Rates &#38; more&#62;<\/title>/);
    const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address ?? "");
    assert.equal(addresses.length, 3);
    assert.doesNotMatch(html, /<script>|https?:/);
    for (const address of addresses) {
      const file = await fetch(new URL(address, `${url}/docs`));
      assert.equal(file.status, 200, address);
      assert.match(file.headers.get("content-type") ?? "", /^text\/(css|javascript)/, address);
      assert.equal(file.headers.get("x-content-type-options"), "nosniff");
      assert.ok((await file.text()).length > 50);
    }
    const start = await (await fetch(`${url}/docs/start.js`)).text();
    assert.match(start, /url: "openapi\.json"/);
    assert.equal((await fetch(new URL("openapi.json", `${url}/docs`))).status, 200);
  },
);

test("without the option nothing is at /docs", async (t) => {
  const { url } = await serveExecutor(t, done);
  assert.equal((await fetch(`${url}/docs`)).status, 404);
});

koaTest("each of several agents shows its own document", () => {
  const agent = { card: plainCard, execute: done };
  assert.doesNotThrow(() => createApp({ "/a": agent, "/b": agent }, { docs: true }));
});

test("a server whose viewer is not installed does not start, and says what to install", () => {
  const packageFiles = () => {
    throw new Error("not found");
  };
  const openApi = () => ({ info: {} });
  assert.throws(() => openViewer({ openApi, packageFiles }), {
    name: "TypeError",
    message: "docs: the page needs the package swagger-ui-dist: npm install swagger-ui-dist",
  });
});
