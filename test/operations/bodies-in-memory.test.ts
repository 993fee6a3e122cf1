import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, test } from "vitest";
import { rpcPeer, text } from "../support/peer.js";
import { SmallHeapServer } from "../support/small-heap.js";
import { type More, type Way, ways } from "./ways.js";

const MIB = 1024 * 1024;
/** What comes with each request and is of no use to anybody. */
const SPACES = Buffer.alloc(8 * MIB, " ");
/** Streams, and tasks that wait for their caller, of each way. */
const EACH = 5;

let server: SmallHeapServer;
const sockets: Socket[] = [];

beforeAll(async () => {
  server = await SmallHeapServer.start("test/operations/small-server.ts");
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await server.stop();
});

/** Sends a request whose connection stays open; gives what comes first. */
async function open(way: Way, said: string, more: More & { streaming?: boolean; padding?: Buffer }) {
  const { streaming = false, padding = Buffer.alloc(0) } = more;
  const body = Buffer.concat([Buffer.from(JSON.stringify(way.body(said, streaming, more))), padding]);
  const headers = {
    Host: "localhost",
    "Content-Type": "application/json",
    "Content-Length": body.length,
    ...way.headers,
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(server.port, "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => undefined);
  socket.write(`POST ${way.path[streaming ? "stream" : "send"]} HTTP/1.1\r\n${head.join("")}\r\n`);
  socket.write(body);
  let answer = "";
  while (!answer.includes("}")) {
    const [chunk] = (await Promise.race([once(socket, "data"), once(socket, "close")])) as [Buffer];
    assert.ok(chunk, `${way.name}: the connection was closed`);
    answer += String(chunk);
  }
  socket.resume();
  return answer;
}

/** The server answers others as if nothing had happened. */
async function assertAlive(): Promise<void> {
  assert.equal(server.death, undefined);
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  const peer = rpcPeer(server.url);
  const { result } = await peer.call("SendMessage", text("answer"));
  assert.ok((await peer.call("GetTask", { id: result.task.id })).result);
}

/** Runs something after which the server holds no more than before, but for so many bytes. */
async function holdingNoMore(run: () => Promise<void>, slack = 24 * MIB): Promise<void> {
  const earlier = await server.held();
  await run();
  await assertAlive();
  const { heap, buffers } = await server.held();
  assert.ok(heap - earlier.heap < slack, `the heap has grown by ${(heap - earlier.heap) / MIB} MiB`);
  assert.ok(
    buffers - earlier.buffers < slack,
    `buffers have grown by ${(buffers - earlier.buffers) / MIB} MiB`,
  );
}

test("SEC-08: 30 streams and 30 tasks that wait for their caller hold nothing of bodies of 8 MiB", async () => {
  await holdingNoMore(async () => {
    for (const way of ways) {
      for (let count = 0; count < EACH; count += 1) {
        assert.match(
          await open(way, "work", { streaming: true, padding: SPACES }),
          /WORKING|working/,
          way.name,
        );
        assert.match(await open(way, "ask", { padding: SPACES }), /input[-_]required/i, way.name);
      }
    }
  });
});

test("SEC-08: members that no version knows are held by no stream, and by no call that is not answered yet", async () => {
  const junk = { junk: SPACES.toString() };
  await holdingNoMore(async () => {
    for (const way of ways) {
      await open(way, "work", { streaming: true, params: junk });
      await open(way, "work", { streaming: true, envelope: junk });
      void open(way, "work", { params: junk }).catch(() => undefined);
      void open(way, "work", { envelope: junk }).catch(() => undefined);
      await assertAlive();
    }
  });
});

for (const [kind, id] of [
  ["text", SPACES.toString()],
  ["text that is longer in bytes than in characters", "é".repeat(129)],
  ["a list", [SPACES.toString()]],
] as const) {
  test(`RPC-06, RPC-12: an id that is ${kind} is refused with id null, in every version`, async () => {
    await holdingNoMore(async () => {
      for (const way of ways.filter(({ path }) => path.send === "/")) {
        for (const streaming of [false, true]) {
          const answer = await open(way, "work", { streaming, id });
          assert.match(answer, /"code":-32600/, way.name);
          assert.match(answer, /"id":null/, way.name);
          assert.ok(answer.length < 2000, way.name);
        }
      }
    });
  });
}

test("SEC-08: a hundred bodies of one address that are sent by half hold no more than their bound", async () => {
  const half = SPACES.subarray(0, SPACES.length / 2);
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${SPACES.length}\r\n\r\n`;
  const sent: Socket[] = [];
  let refused = 0;
  for (let count = 0; count < 100; count += 1) {
    const socket = connect(server.port, "127.0.0.1");
    sockets.push(socket);
    sent.push(socket);
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      if (String(chunk).startsWith("HTTP/1.1 429 ")) refused += 1;
    });
    socket.write(head);
    socket.write(half);
  }
  try {
    // 32 MiB are as much as eight of them send.
    while (refused < 92) {
      await assertAlive();
      // What the refused ones had sent by then goes with the next collection of garbage; all of them together send 400 MiB.
      const { buffers } = await server.held();
      assert.ok(buffers < 100 * MIB, `${buffers / MIB} MiB of buffers`);
    }
  } finally {
    // What they hold must not count for the tests that follow.
    for (const socket of sent) socket.destroy();
    while ((await server.held()).buffers > 8 * MIB);
  }
  await assertAlive();
});

test("SEC-08: objects that take twenty times their text are refused before they are made", async () => {
  const objects = `[${"[{}],".repeat(SPACES.length / 5)}0]`;
  await holdingNoMore(async () => {
    for (const way of ways) {
      const body = JSON.stringify(way.body("work", false)).replace('"work"', objects);
      const response = await fetch(server.url + way.path.send, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...way.headers },
        body,
      });
      assert.match(await response.text(), /holds more than 200000 values/, way.name);
    }
  });
});

test("SEC-08: a body in pieces of one byte takes no more than its bytes", async () => {
  const pieces = "1\r\n \r\n".repeat(10_000);
  await holdingNoMore(async () => {
    const socket = connect(server.port, "127.0.0.1");
    sockets.push(socket);
    socket.on("error", () => undefined);
    socket.write(
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    // As many buffers as pieces would be 450 MB.
    for (let sent = 0; sent < 150; sent += 1) {
      if (!socket.write(pieces)) await Promise.race([once(socket, "drain"), once(socket, "close")]);
    }
    assert.equal(socket.destroyed, false);
  });
});
