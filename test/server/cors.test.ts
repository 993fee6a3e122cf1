import assert from "node:assert/strict";
import { test } from "vitest";
import type { ServerOptions } from "../../src/server/index.js";
import { callText, json, readUntil, request, scripted, serveFor, write } from "./scripted-agent.js";

const page = "https://page.example";
const ask = {
  Origin: page,
  "Access-Control-Request-Method": "POST",
  "Access-Control-Request-Headers": "a2a-version",
};

const cases: [string, ServerOptions["cors"], string | null, string | null][] = [
  ["nobody by default", undefined, null, null],
  ["anybody", true, "*", null],
  ["anybody, by a star", "*", "*", null],
  ["anybody, by a star in the list", ["*"], "*", null],
  ["origins in the list", [page], page, "Origin"],
  ["not others", ["https://other.example"], null, "Origin"],
];
for (const [title, cors, allowed, vary] of cases) {
  test(`AUTHN-01, RPC-18: operations are open to pages of ${title}`, async (t) => {
    const { url } = await serveFor(t, scripted(), cors === undefined ? {} : { cors });
    for (const path of ["/", "/message:send"]) {
      const preflight = await fetch(url + path, { method: "OPTIONS", headers: ask });
      assert.equal(preflight.status, 204);
      assert.equal(await preflight.text(), "");
      assert.equal(preflight.headers.get("access-control-allow-origin"), allowed);
      assert.equal(preflight.headers.get("access-control-allow-headers"), allowed && "a2a-version");
      assert.equal(preflight.headers.get("access-control-allow-methods"), allowed && "GET, POST, DELETE");
    }
    const body = callText("SendMessage");
    const answer = await fetch(url, { method: "POST", headers: { ...json, Origin: page }, body });
    assert.equal(answer.headers.get("access-control-allow-origin"), allowed);
    assert.equal(answer.headers.get("vary"), vary);
    assert.equal(answer.headers.get("access-control-allow-credentials"), null);
    const stream = await fetch(url, {
      method: "POST",
      headers: { ...json, Origin: page },
      body: callText("SendStreamingMessage"),
    });
    assert.equal(stream.headers.get("content-type"), "text/event-stream");
    assert.equal(stream.headers.get("access-control-allow-origin"), allowed);
    await stream.text();
  });
}

test("a preflight that names no headers is allowed any", async (t) => {
  const { port } = await serveFor(t, scripted(), { cors: true });
  const headers = { Origin: page, "Access-Control-Request-Method": "POST", Connection: "close" };
  assert.match(
    await readUntil(await write(port, request("OPTIONS /", headers))),
    /Access-Control-Allow-Headers: \*/,
  );
});

test("SEC-03: HSTS is sent where the public URL is https, and nowhere else", async (t) => {
  const secure = await serveFor(t, scripted(), { publicUrl: "https://a.example" });
  const local = `http://127.0.0.1:${secure.port}/healthz`;
  assert.equal((await fetch(local)).headers.get("strict-transport-security"), "max-age=31536000");
  const plain = await serveFor(t, scripted());
  assert.equal((await fetch(`${plain.url}/healthz`)).headers.get("strict-transport-security"), null);
});
