import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { test } from "vitest";
import { text } from "../support/peer.js";
import { assertHeld } from "./loop-holds.js";
import { kinds, readElsewhere, serving } from "./serving-large.js";

const MIB = 1024 * 1024;
const LARGE = 9;

/** Tasks that are written at the same time. PostgreSQL takes long to store them. */
const counts: Readonly<Record<string, number>> = { SQLite: 4, memory: 4, PostgreSQL: 2 };

for (const { kind, skip } of kinds) {
  const count = counts[kind] ?? 0;
  test(`SEC-08: ${count} executors that write ${LARGE} MiB each hold the event loop no longer than one such text does [${kind}]`, {
    skip,
  }, async () => {
    const { server, peer, holds, stop } = await serving(kind, 0, 0);
    try {
      for (const way of ["whole", "large"]) {
        // The first time some of the code is compiled.
        await peer.call("SendMessage", text(`${way} ${LARGE}`));
        await holds();
        const sends = Array.from({ length: count }, () => peer.call("SendMessage", text(`${way} ${LARGE}`)));
        const tasks = (await Promise.all(sends)).map(({ result }) => result.task);
        for (const { id } of tasks) assert.ok((await readElsewhere(server.port, id)) > LARGE * MIB);
        assertHeld(await holds(), LARGE);
      }
      assert.equal(server.death, undefined);
    } finally {
      await stop();
    }
  });
}

/** A request whose body has arrived but for its last byte. */
function begin(port: number, address: string, body: string): ClientRequest {
  const request = httpRequest({
    ...{
      port,
      host: "127.0.0.1",
      localAddress: address,
      method: "POST",
      path: "/message:send",
      agent: false,
    },
    headers: {
      "A2A-Version": "1.0",
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
    },
  });
  request.write(body.slice(0, -1));
  return request;
}

test(`SEC-08: bodies of ${LARGE} MiB that are complete at the same time are parsed and checked one after the other, and others are answered`, async () => {
  const { server, holds, stop } = await serving("memory", 0, 0);
  try {
    const body = JSON.stringify({
      message: { messageId: "m", role: "ROLE_USER", parts: [{ text: `whole 0 ${"x".repeat(LARGE * MIB)}` }] },
      configuration: { historyLength: 0 },
    });
    for (const isMeasured of [false, true]) {
      const requests = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.1", "127.0.0.2", "127.0.0.3"].map(
        (address) => begin(server.port, address, body),
      );
      const answers = requests.map((request) => once(request, "response") as Promise<[IncomingMessage]>);
      await Promise.all(requests.map((request) => drained(request)));
      await holds();
      for (const request of requests) request.end(body.slice(-1));
      let answered = 0;
      let isDone = false;
      const all = Promise.all(answers).finally(() => {
        isDone = true;
      });
      for (; !isDone; answered += 1) assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
      for (const [answer] of await all) {
        assert.equal(answer.statusCode, 200);
        answer.resume();
      }
      const held = await holds();
      if (!isMeasured) continue;
      assert.ok(answered > requests.length, `${answered} others were answered meanwhile`);
      assertHeld(held, LARGE);
    }
  } finally {
    await stop();
  }
});

/** Resolves when the system has taken everything that was written. */
async function drained(request: ClientRequest): Promise<void> {
  if (request.socket === null) await once(request, "socket");
  while (request.writableLength > 0 || (request.socket?.writableLength ?? 0) > 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
}
