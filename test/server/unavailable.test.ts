import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "vitest";
import { completed, type Executor, working } from "../../src/index.js";
import type { ServerVersion } from "../../src/server/index.js";
import { createApp } from "../../src/server/index.js";
import { gate } from "../support/both.js";
import { plainCard } from "../support/peer.js";

type Json = any;

/** A call as callers of one version make it, who name none. */
interface Form {
  readonly name: string;
  readonly versions: readonly ServerVersion[];
  readonly path?: string;
  readonly body: Json;
  /** The error that the caller reads, but for its text. */
  readonly error: Json;
}

const rpc = (method: string, params: Json) => ({ jsonrpc: "2.0", id: 1, method, params });
const info = {
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason: "UNAVAILABLE",
  domain: "a2a-protocol.org",
};
const message = { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "go" }] };
const later = { message, configuration: { blocking: false } };
const draft = { id: "one", message: { role: "user", parts: [{ type: "text", text: "go" }] } };
const flat = { message: { role: "user", parts: [{ text: "go" }] } };
const numbered = (code: number) => ({ code, data: { details: [info] } });

const forms: Form[] = [
  { name: "0.3", versions: ["1.0", "0.3"], body: rpc("message/send", later), error: numbered(-32603) },
  {
    name: "0.3, stream",
    versions: ["1.0", "0.3"],
    body: rpc("message/stream", later),
    error: numbered(-32603),
  },
  {
    name: "0.3 over HTTP+JSON",
    versions: ["1.0", "0.3"],
    path: "/v1/message:send",
    body: later,
    error: numbered(-32603),
  },
  { name: "0.1", versions: ["1.0", "0.1"], body: rpc("tasks/send", draft), error: numbered(-32000) },
  {
    name: "0.1, stream",
    versions: ["1.0", "0.1"],
    body: rpc("tasks/sendSubscribe", draft),
    error: numbered(-32000),
  },
  { name: "0.1-flat", versions: ["1.0", "0.1-flat"], body: rpc("tasks/send", flat), error: { code: -32000 } },
];

/** A server that does one task at a time, whose executor works until the test says so. */
async function serving(t: TestContext, versions: readonly ServerVersion[]) {
  const { open, opened } = gate();
  const started = gate();
  const execute: Executor = async function* () {
    yield working();
    started.open();
    await opened;
    yield completed();
  };
  const app = createApp({ card: plainCard, execute }, { versions, limits: { tasks: 1 } });
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(async () => {
    open();
    await busy;
    server.close();
    server.closeAllConnections();
    await app.close();
  });
  const { port } = server.address() as { port: number };
  const post = (path: string, body: Json, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const first = { messageId: "first", role: "ROLE_USER", parts: [{ text: "go" }] };
  const busy = post("/", rpc("SendMessage", { message: first }), { "A2A-Version": "1.0" });
  await started.opened;
  return { app, post, open };
}

async function refused(response: Response, { error, path }: Form, id: number | null, text: RegExp) {
  assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "5"]);
  assert.equal(response.headers.get("content-type"), "application/json");
  const body: Json = await response.json();
  const { message, ...rest } = path === undefined ? body.error : body;
  assert.deepEqual(rest, error);
  assert.match(message, text);
  if (path === undefined) assert.deepEqual([body.jsonrpc, body.id], ["2.0", id]);
}

for (const form of forms) {
  const { name, versions, path = "/", body } = form;

  test(`ERR-20, LEG-02: overload is told to callers of ${name} in the form of their version`, async (t) => {
    const { post } = await serving(t, versions);
    await refused(await post(path, body), form, 1, /the maximum/);
  });

  test(`ERR-20, LEG-02: that the server stops is told to callers of ${name} in the form of their version`, async (t) => {
    const { app, post, open } = await serving(t, versions);
    const closed = app.close();
    await refused(await post(path, body), form, null, /unavailable/);
    open();
    await closed;
  });
}
