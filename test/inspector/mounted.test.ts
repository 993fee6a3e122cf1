import assert from "node:assert/strict";
import { test } from "vitest";
import { mountInspector } from "../../src/inspector/mounted.js";
import { serve } from "../../src/server/index.js";
import { agent } from "../cli/agent.js";
import { listenFor } from "../support/listen.js";
import { pageFolder, rawRequest } from "./local.js";

test("the page is below /inspector, and everything else is the app's", async (t) => {
  const mounted = { url: "http://127.0.0.1:4000", agents: [{ name: "Writer", path: "/" }] };
  const url = await listenFor(
    t,
    mountInspector({ app: (_, res) => res.end("app"), agents: () => mounted, folder: pageFolder(t) }),
  );
  const get = (path: string, headers: Record<string, string> = {}) => rawRequest(url + path, { headers });
  for (const path of ["/", "/inspectors", "/inspector.js", "/api/session"])
    assert.equal((await get(path)).text, "app", path);
  const moved = await get("/inspector?x=1");
  assert.deepEqual([moved.status, moved.headers.location], [308, "/inspector/"]);
  const page = await get("/inspector/");
  assert.match(page.text, /<title>Inspector/);
  assert.match(String(page.headers["content-security-policy"]), /default-src 'none'/);
  assert.equal((await get("/inspector/assets/main.js")).text, "export {};");
  assert.equal((await get("/inspector/assets/notes.txt")).status, 404);
  const session = JSON.parse((await get("/inspector/api/session")).text);
  assert.equal(session.mode, "mounted");
  assert.deepEqual(session.mounted, mounted);
  assert.deepEqual(Object.values(session.can), [false, false, false, false]);
});

test("nothing is called for the page of a served agent", async (t) => {
  const url = await listenFor(
    t,
    mountInspector({
      app: (_, res) => res.end("app"),
      agents: () => ({ url: "", agents: [] }),
      folder: pageFolder(t),
    }),
  );
  for (const path of ["fetch", "events", "conformance", "webhooks", "abort", "redirects"])
    assert.equal((await rawRequest(`${url}/inspector/api/${path}`, { method: "POST" })).status, 404, path);
});

test("the page of a served agent is for browsers on this machine, under its own name", async (t) => {
  const url = await listenFor(
    t,
    mountInspector({
      app: (_, res) => res.end("app"),
      agents: () => ({ url: "", agents: [] }),
      folder: pageFolder(t),
    }),
  );
  const ask = (path: string, headers: Record<string, string>) =>
    rawRequest(`${url}/inspector${path}`, { headers });
  for (const Host of ["evil.example", "agent.example:443", "192.168.1.5:4000"])
    for (const path of ["", "/", "/api/session"])
      assert.equal((await ask(path, { Host })).status, 403, Host + path);
  assert.equal((await ask("/", { Host: "localhost:9" })).status, 200, "a port that is forwarded");
  assert.equal((await ask("/api/session", { Origin: "https://evil.example" })).status, 404);
});

test("serve refuses the inspector beyond this machine, and beside an agent at its path", async () => {
  for (const host of ["0.0.0.0", "::", "192.168.1.5", "example.com"])
    await assert.rejects(serve(agent(), { inspector: true, host }), {
      name: "TypeError",
      message: /this machine/,
    });
  const agents = { "/inspector": agent(), "/other": agent() };
  await assert.rejects(serve(agents, { inspector: true }), { name: "TypeError", message: /\/inspector/ });
});

test("a page that was not built is an error that says what to do", () => {
  const app = () => undefined;
  const mount = () => mountInspector({ app, agents: () => ({ url: "", agents: [] }), folder: "/nowhere" });
  assert.throws(mount, /npm run build/);
});
