import assert from "node:assert/strict";
import { test } from "vitest";
import { Deadline } from "../../src/client/deadline.js";
import { fetchOnce } from "../../src/client/exchange.js";
import { clientOf, json } from "./scripted.js";

test("a request whose signal has aborted is not sent, also by a fetch that ignores signals", async () => {
  const { client, seen } = await clientOf(() => json({}));
  await assert.rejects(
    client.sendText("pay", { signal: AbortSignal.abort(new Error("given up")) }),
    /given up/,
  );
  assert.deepEqual(seen, []);
});

test("the error for an unreachable URL hides its password, whatever the path contains", async () => {
  const url = new URL("http://u:secret@127.0.0.1/$&");
  const fetch = () => Promise.reject(new TypeError(`Request cannot be constructed from ${url.href}`));
  const outgoing = { url, method: "GET", headers: new Headers() };
  await assert.rejects(fetchOnce(fetch, outgoing, new Deadline()), ({ code, message }: any) => {
    assert.equal(code, "UNREACHABLE");
    assert.doesNotMatch(message, /secret/);
    return true;
  });
});
