import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import express from "express";
import { test } from "vitest";
import { body, event, receiverFor } from "./receiving.js";

const withToken = { "x-a2a-notification-token": "secret" };

test("HOOK-01: a notification that was taken is answered with 2xx, after it was handed over", async () => {
  const steps: string[] = [];
  const { send } = receiverFor({
    onNotification: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      steps.push("handed over");
    },
  });
  steps.push(`answered ${await send({ headers: withToken })}`);
  assert.deepEqual(steps, ["handed over", "answered 204"]);
});

test("HOOK-01: a notification that cannot be handed over is answered with 500, and taken when it comes again", async () => {
  let fails = true;
  let count = 0;
  const { send, logger } = receiverFor({
    onNotification: () => {
      if (fails) throw new Error("the database is away");
      count += 1;
    },
  });
  const headers = { ...withToken, "a2a-notification-generation": "3" };
  assert.equal(await send({ headers }), 500);
  fails = false;
  assert.equal(await send({ headers }), 204);
  assert.equal(count, 1);
  assert.equal(logger.lines[0]?.level, "error");
});

test("a body that a parser has read is answered with 500, and the log says what the webhook needs", async () => {
  for (const read of [event, undefined]) {
    const { send, taken, logger } = receiverFor();
    assert.equal(await send({ headers: withToken, body: read as never }), 500);
    const [line = assert.fail("Nothing was logged")] = logger.lines;
    assert.equal(line.level, "error");
    assert.match(line.facts.err.message, /^`body` must be the bytes that were received.*express\.raw/);
    assert.deepEqual(taken, []);
  }
});

test("express.raw() keeps the bytes for the receiver, of both media types", async () => {
  const { receiver } = receiverFor();
  const app = express();
  const raw = express.raw({ type: ["application/a2a+json", "application/json"], limit: "10mb" });
  app.post("/hook", raw, async ({ method, url, headers, body }, res) => {
    res.sendStatus((await receiver.receive({ method, url, headers, body: body as never })).status);
  });
  app.use(express.json({ type: ["application/a2a+json", "application/json"] }));
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    for (const type of ["application/a2a+json", "application/json"]) {
      const headers = { ...withToken, "content-type": type };
      const hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
      assert.equal((await fetch(hook, { method: "POST", headers, body })).status, 204, type);
    }
  } finally {
    server.close();
  }
});

test("the event is handed over typed, with its task and its place", async () => {
  const { send, taken } = receiverFor();
  assert.equal(await send({ headers: { ...withToken, "a2a-notification-generation": "7" } }), 204);
  assert.deepEqual(taken, [{ event, taskId: "task-1", generation: 7 }]);
});

for (const name of ["x-a2a-notification-token", "a2a-notification-token"]) {
  test(`HOOK-02, HOOK-04: the token is taken from ${name}, and must be the one that was handed out`, async () => {
    const { send, taken } = receiverFor();
    for (const token of ["", "secre", "secret2", "SECRET", "Secret"]) {
      assert.equal(await send({ headers: { [name]: token } }), 401, token);
    }
    assert.equal(await send({}), 401);
    assert.equal(taken.length, 0);
    assert.equal(await send({ headers: { [name]: "secret" } }), 204);
  });
}

test("HOOK-02: of two token headers both must be right", async () => {
  const { send } = receiverFor();
  assert.equal(await send({ headers: { ...withToken, "a2a-notification-token": "other" } }), 401);
  assert.equal(await send({ headers: { ...withToken, "a2a-notification-token": "secret" } }), 204);
});

test("HOOK-02: credentials must be those that were handed out; the scheme may be written in any case", async () => {
  const { send } = receiverFor({ expect: () => ({ authorization: "Bearer Secret" }) });
  for (const authorization of ["", "Bearer", "Bearer secret", "Basic Secret", "Bearer Secret2", "Secret"]) {
    assert.equal(await send({ headers: { authorization } }), 401, authorization);
  }
  assert.equal(await send({ headers: { authorization: "bearer Secret" } }), 204);
});

test("HOOK-02: of token and credentials both are demanded when both were handed out", async () => {
  const { send } = receiverFor({ expect: () => ({ token: "secret", authorization: "Bearer b" }) });
  assert.equal(await send({ headers: withToken }), 401);
  assert.equal(await send({ headers: { authorization: "Bearer b" } }), 401);
  assert.equal(await send({ headers: { ...withToken, authorization: "Bearer b" } }), 204);
});

test("HOOK-03: a task that is not expected looks like a wrong secret to a stranger", async () => {
  const { send, taken } = receiverFor();
  const other = JSON.stringify({ task: { id: "task-2", status: { state: "TASK_STATE_WORKING" } } });
  assert.equal(await send({ headers: withToken, body: other }), 401);
  assert.equal(taken.length, 0);
});

test("HOOK-08: each config can have secrets of its own, told apart by task or by URL", async () => {
  const { send } = receiverFor({
    expect: async ({ taskId, url }) => ({ token: `${taskId} at ${url}` }),
  });
  const headers = { "x-a2a-notification-token": "task-1 at /hooks/7?x=1" };
  assert.equal(await send({ url: "/hooks/7?x=1", headers }), 204);
  assert.equal(await send({ url: "/hooks/8?x=1", headers }), 401);
});

test("a webhook with nothing to know its sender by takes nothing, and says so in its log", async () => {
  for (const secrets of [{}, { token: "" }]) {
    const { send, logger, taken } = receiverFor({ expect: () => secrets });
    assert.equal(await send({}), 500);
    assert.match(String(logger.lines[0]?.facts.err), /needs a token/);
    assert.equal(taken.length, 0);
  }
});

test("HOOK-05: the same event twice is handed over once, also while the first is being taken", async () => {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let count = 0;
  const { send } = receiverFor({
    onNotification: async () => {
      count += 1;
      await opened;
    },
  });
  const headers = { ...withToken, "a2a-notification-generation": "3" };
  const both = Promise.all([send({ headers }), send({ headers })]);
  open();
  assert.deepEqual(await both, [204, 204]);
  assert.equal(await send({ headers }), 204);
  assert.equal(count, 1);
  assert.equal(await send({ headers: { ...headers, "a2a-notification-generation": "4" } }), 204);
  assert.equal(count, 2);
});

test("HOOK-05, HOOK-08: the same event at another URL is handed over, because it is for another config", async () => {
  const { send, taken } = receiverFor();
  const headers = { ...withToken, "a2a-notification-generation": "3" };
  for (const url of ["/hooks/1", "/hooks/2", "/hooks/2?config=b", "/hooks/1"])
    assert.equal(await send({ url, headers }), 204, url);
  assert.equal(taken.length, 3);
});

test("HOOK-09: both media types are taken, with parameters too; others are not", async () => {
  const { send } = receiverFor();
  for (const type of ["application/a2a+json", "application/json", "Application/JSON; charset=utf-8"]) {
    assert.equal(await send({ headers: { ...withToken, "content-type": type } }), 204, type);
  }
  for (const type of ["text/plain", "", "application/jsonp"]) {
    assert.equal(await send({ headers: { ...withToken, "content-type": type } }), 415, type);
  }
});

test("HOOK-09: the body is read as leniently as events of a stream", async () => {
  const { send, taken } = receiverFor();
  const lenient = JSON.stringify({
    status_update: { task_id: "task-1", context_id: "c", status: { state: 2 }, surprise: true },
    extra: 1,
  });
  assert.equal(await send({ headers: withToken, body: lenient }), 204);
  assert.deepEqual(taken[0]?.event, {
    statusUpdate: { ...event.statusUpdate, surprise: true },
    extra: 1,
  });
  assert.equal(await send({ headers: withToken, body: new TextEncoder().encode(body) }), 204);
});

const broken: Record<string, string | Uint8Array> = {
  "no JSON": "{",
  "an empty body": "",
  "a list": "[]",
  "an envelope": JSON.stringify({ jsonrpc: "2.0", result: event }),
  "two kinds at once": JSON.stringify({
    ...event,
    task: { id: "task-1", status: { state: "TASK_STATE_WORKING" } },
  }),
  "no task": JSON.stringify({ message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "t" }] } }),
  "a part with two contents": JSON.stringify({
    artifactUpdate: {
      taskId: "task-1",
      contextId: "c",
      artifact: { artifactId: "a", parts: [{ text: "a", url: "b" }] },
    },
  }),
  "invalid UTF-8": Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]),
  "deep nesting": `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`,
};
for (const [what, text] of Object.entries(broken)) {
  test(`HOOK-09: ${what} is refused with 400`, async () => {
    const { send, taken } = receiverFor();
    assert.equal(await send({ headers: withToken, body: text }), 400);
    assert.equal(taken.length, 0);
  });
}

test("other verbs and large bodies are refused", async () => {
  const { send } = receiverFor({ maxBytes: Buffer.byteLength(body) });
  assert.equal(await send({ method: "GET", headers: withToken }), 405);
  assert.equal(await send({ headers: withToken }), 204);
  assert.equal(await send({ headers: withToken, body: `${body} ` }), 413);
});

test("a body of more members or values than a task needs is refused, unless larger bodies are allowed", async () => {
  const { send } = receiverFor();
  const members = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 0]));
  const statusUpdate = (metadata: object) => ({ statusUpdate: { ...event.statusUpdate, metadata } });
  const bodies = {
    accepted: { ...statusUpdate(members(20_000)), ...members(900) },
    "members of an object": statusUpdate(members(100_001)),
    "members of the event": { ...event, ...members(1000) },
    values: statusUpdate({ list: Array.from({ length: 1_000_001 }, () => 0) }),
  };
  for (const [name, sent] of Object.entries(bodies)) {
    const status = await send({ headers: withToken, body: JSON.stringify(sent) });
    assert.equal(status, name === "accepted" ? 204 : 400, name);
  }
  const { send: sendMore } = receiverFor({ maxBytes: 20 * 1024 * 1024 });
  assert.equal(await sendMore({ headers: withToken, body: JSON.stringify(bodies.values) }), 204);
});

test("long ids of tasks are not kept in memory", async () => {
  const { send } = receiverFor({ expect: () => ({ token: "secret" }), onNotification: () => undefined });
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const sendAll = async (from: number) => {
    for (let id = from; id < from + 64; id += 1) {
      const taskId = `${id} `.padEnd(2 ** 20, "x");
      const headers = { ...withToken, "a2a-notification-generation": "1" };
      const sent = JSON.stringify({ statusUpdate: { ...event.statusUpdate, taskId } });
      assert.equal(await send({ headers, body: sent }), 204);
    }
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await sendAll(0);
  const grown = (await sendAll(64)) - before;
  assert.ok(grown < 32 * 2 ** 20, `${grown} bytes more are held`);
});

test("what is remembered is bounded", async () => {
  const { send, taken } = receiverFor({ memory: 3 });
  const at = (generation: number) =>
    send({ headers: { ...withToken, "a2a-notification-generation": `${generation}` } });
  for (const generation of [1, 2, 3, 4, 4, 3, 2]) assert.equal(await at(generation), 204);
  assert.equal(taken.length, 4);
  await at(1);
  assert.equal(taken.length, 5);
});

test("limits of a receiver that are not numbers of at least 1 are refused at start", () => {
  for (const name of ["maxBytes", "memory"] as const)
    for (const value of [Number.NaN, 0, -1, "10mb", null])
      assert.throws(() => receiverFor({ [name]: value }), {
        name: "TypeError",
        message: `${name} must be a number of at least 1`,
      });
});

test("SEC-12: what was sent does not get into the log", async () => {
  const { send, logger } = receiverFor();
  await send({ headers: { "x-a2a-notification-token": "planted", authorization: "Bearer planted" } });
  await send({ headers: withToken, body: '{"planted' });
  assert.equal(logger.lines.length, 2);
  assert.doesNotMatch(inspect(logger.lines, { depth: 10 }), /planted/);
});
