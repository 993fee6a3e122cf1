import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { test } from "vitest";
import { ClientError, connect } from "../../../src/client/index.js";
import { type Behaviour, clientAt, flood, head, hostileAgent } from "../hostile-agent.js";
import { cardOf, task } from "../scripted.js";

const EVENTS = "text/event-stream";
const JSON_TYPE = "application/json";
const KIB = "x".repeat(1024);
const MIB = 1024 * 1024;

const frame = (event: object): string =>
  `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result: event })}\n\n`;
const update = (more: object) => ({ taskId: "t", contextId: "c", ...more });
const chunk = (id: string, append: boolean) =>
  frame({ artifactUpdate: update({ artifact: { artifactId: id, parts: [{ text: KIB }] }, append }) });
const said = frame({
  statusUpdate: update({
    status: { ...task.status, message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: KIB }] } },
  }),
});
const opened = head(EVENTS) + frame({ task });

/** A stream that begins as it should and goes on with one text again and again. */
const goingOn =
  (again: string, beginning = opened, pause = 0): Behaviour =>
  (socket) => {
    socket.write(beginning);
    return flood(socket, again, pause);
  };

const streams: readonly (readonly [name: string, code: string, Behaviour])[] = [
  ["an event without end", "RESPONSE_TOO_LARGE", goingOn(KIB, `${opened}data: `)],
  ["an event of lines without end", "RESPONSE_TOO_LARGE", goingOn(`data: ${KIB}\n`)],
  ["a comment without end", "RESPONSE_TOO_LARGE", goingOn(KIB, `${opened}:`)],
  ["an id without end", "RESPONSE_TOO_LARGE", goingOn(KIB, `${opened}id: `)],
  ["comments without end", "TIMEOUT", goingOn(": still here\n\n", opened, 10)],
  ["nothing more", "TIMEOUT", goingOn("", opened, 1000)],
  ["an artifact without end", "RESPONSE_TOO_LARGE", goingOn(chunk("a", true))],
  ["messages without end", "RESPONSE_TOO_LARGE", goingOn(said)],
  [
    "metadata without end",
    "RESPONSE_TOO_LARGE",
    async (socket) => {
      socket.write(opened);
      for (let key = 0; !socket.destroyed; key++) {
        const metadata = { [key]: KIB };
        const isTaken = socket.write(frame({ statusUpdate: update({ status: task.status, metadata }) }));
        if (!isTaken) await new Promise((resolve) => socket.once("drain", resolve).once("close", resolve));
      }
    },
  ],
  [
    "an event of millions of parts",
    "RESPONSE_TOO_LARGE",
    (socket) => void socket.end(`${head(EVENTS)}data: {"a":[${"{},".repeat(600_000)}0]}\n\n`),
  ],
  [
    "an event that unpacks to a thousand times its size",
    "RESPONSE_TOO_LARGE",
    (socket) => {
      const events = gzipSync(
        Buffer.concat([Buffer.from(`${frame({ task })}data: `), Buffer.alloc(64 * MIB, "x")]),
      );
      socket.end(Buffer.concat([Buffer.from(head(EVENTS, ["Content-Encoding: gzip"])), events]));
    },
  ],
];

for (const [name, code, behave] of streams) {
  test(`STR-14, SEC-16: a stream of ${name} is left with an error`, async (t) => {
    const { url, allClosed } = await hostileAgent(t, behave);
    const client = await clientAt(url, {
      timeouts: code === "TIMEOUT" ? { idle: 0.3, event: 0.2 } : {},
      limits: { event: 2 * MIB, task: 4 * MIB },
    });
    await assert.rejects(client.stream("x").result(), (error) => {
      assert.ok(error instanceof ClientError, String(error));
      assert.equal(error.code, code, String(error));
      return true;
    });
    await allClosed();
  });
}

test("an artifact that is sent again and again as a whole is no larger than the last one", async (t) => {
  let sent = 0;
  const { url } = await hostileAgent(t, async (socket) => {
    socket.write(opened);
    for (; sent < 6 * 1024; sent++) socket.write(chunk("a", false));
    socket.end(frame({ statusUpdate: update({ status: { state: "TASK_STATE_COMPLETED" } }) }));
  });
  const client = await clientAt(url, { limits: { task: 2 * MIB }, timeouts: {} });
  const { task: ended } = await client.stream("x").result();
  assert.equal(ended?.artifacts?.[0]?.parts.length, 1);
  assert.equal(sent, 6 * 1024);
});

test("a stream of comments is subscribed to anew, and the task is followed to its end", async (t) => {
  let calls = 0;
  const { url } = await hostileAgent(t, (socket) => {
    calls += 1;
    if (calls === 1) {
      return goingOn(": still here\n\n", `${head(EVENTS)}id: 1\n${frame({ task })}`, 10)(socket, "");
    }
    const done = { statusUpdate: update({ status: { state: "TASK_STATE_COMPLETED" } }) };
    const [first, last] = [frame({ task }), frame(done)].map((text) => text.replace('"id":1', '"id":2'));
    socket.end(`${head(EVENTS)}id: 1\n${first}id: 2\n${last}`);
    return undefined;
  });
  const client = await clientAt(url, { timeouts: { event: 0.1 }, resume: { first: 0 } });
  assert.equal((await client.stream("x").result()).task?.status.state, "TASK_STATE_COMPLETED");
  assert.equal(calls, 2);
});

test("a stream of 0.3 fails when the task that it does not begin with is not received in time", async (t) => {
  let calls = 0;
  const { url, allClosed } = await hostileAgent(t, (socket) => {
    calls += 1;
    const status = { kind: "status-update", taskId: "t", contextId: "c", status: { state: "working" } };
    socket.write(calls === 1 ? head(EVENTS) + frame({ ...status, final: false }) : `${head(JSON_TYPE)}{`);
  });
  const entry = { url, protocolBinding: "JSONRPC", protocolVersion: "0.3" };
  const timeouts = { connect: 3, idle: 3, total: 0.3 };
  const options = { retry: false, resume: false, timeouts } as const;
  const client = await connect(cardOf({ supportedInterfaces: [entry] }), options);
  await assert.rejects(client.stream("x").result(), { code: "TIMEOUT", message: /"total"/ });
  await allClosed();
  assert.equal(calls, 2);
});
