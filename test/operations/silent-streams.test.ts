import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { type TestContext, test } from "vitest";
import { completed, type Executor, working } from "../../src/index.js";
import { A2AError } from "../../src/protocol/errors.js";
import type { ServeOptions, ServerVersion } from "../../src/server/index.js";
import { readUntil, write } from "../server/scripted-agent.js";
import { gate } from "../support/both.js";
import { serveExecutor } from "../support/peer.js";
import { type Way, ways } from "./ways.js";

const versions: readonly ServerVersion[] = ["1.0", "0.3", "0.1-flat", "0.1"];
const COMMENT = ": keep-alive\n\n";
const END = "\r\n0\r\n\r\n";

/** A server whose executor says nothing until the test lets it. */
async function serving(t: TestContext, execute: Executor, options: ServeOptions = {}) {
  const { port } = await serveExecutor(t, execute, { versions, heartbeat: 0.2, ...options });
  return (way: Way): Promise<Socket> => {
    const body = JSON.stringify(way.body("go", true));
    const headers = {
      ...{ Host: "localhost", "Content-Type": "application/json", "Content-Length": body.length },
      ...way.headers,
    };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return write(port, `POST ${way.path.stream} HTTP/1.1\r\n${head.join("")}\r\n${body}`);
  };
}

/** The object in an answer, once it has come whole; it stands on one line. */
function jsonIn(answer: string): string | undefined {
  return /^(?:data: )?(\{.*\})$/m.exec(answer.replaceAll("\r\n", "\n"))?.[1];
}

for (const way of ways) {
  test(`STR-11: a stream whose agent says nothing begins with a comment, and its events follow [${way.name}]`, async (t) => {
    const { open, opened } = gate();
    const send = await serving(t, async function* () {
      await opened;
      yield working();
      yield completed();
    });
    const socket = await send(way);
    t.onTestFinished(() => void socket.destroy());
    const head = await readUntil(socket, (text) => text.includes(COMMENT));
    assert.match(head, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(head, /Content-Type: text\/event-stream/);
    assert.doesNotMatch(head, /data:/);
    open();
    const rest = await readUntil(socket, (text) => text.endsWith(END));
    assert.match(rest, /data: /);
    assert.match(rest, /completed/i);
  });

  test(`OP-STREAM-10: a failure after that is an error event in the form of the version [${way.name}]`, async (t) => {
    const { open, opened } = gate();
    const send = await serving(t, async function* () {
      await opened;
      yield* [];
      throw new A2AError("UNSUPPORTED_OPERATION", "Not this one");
    });
    const late = await send(way);
    t.onTestFinished(() => void late.destroy());
    const head = await readUntil(late, (text) => text.includes(COMMENT));
    assert.match(head, /^HTTP\/1\.1 200 OK\r\n/);
    open();
    const frame = await readUntil(late, (text) => text.endsWith(END));
    const [, data] = /event: error\ndata: (.*)\n\n/.exec(frame) ?? [];
    assert.ok(data, frame);

    // The same failure at once is an ordinary answer, and says the same.
    const early = await send(way);
    t.onTestFinished(() => void early.destroy());
    const answer = await readUntil(early, (text) => jsonIn(text) !== undefined);
    assert.deepEqual(JSON.parse(data), JSON.parse(jsonIn(answer) ?? ""));
    assert.match(data, /"code":/);
  });

  test(`SEC-08: a reader that leaves before the first event gives its place back at once [${way.name}]`, async (t) => {
    let begun: () => void = () => undefined;
    const send = await serving(
      t,
      async function* ({ signal }) {
        begun();
        await once(signal, "abort");
        yield working();
      },
      { limits: { streams: 1 }, heartbeat: 60 },
    );
    for (let stream = 0; stream < 3; stream += 1) {
      const started = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const from = performance.now();
      // The place is free when the server has noticed that the connection is gone.
      for (let isStarted = false; !isStarted; ) {
        const socket = await send(way);
        isStarted = await Promise.race([started.then(() => true), once(socket, "data").then(() => false)]);
        const closed = once(socket, "close");
        socket.destroy();
        await closed;
      }
      // Without a notice of that, the place would be free when the head of the stream is due, after 7.5 seconds or more.
      assert.ok(performance.now() - from < 5000, "the place is given back at once");
    }
  });
}
