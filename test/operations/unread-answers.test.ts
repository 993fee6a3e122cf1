import assert from "node:assert/strict";
import { test } from "vitest";
import { type Asked, reads, subscriptions } from "./asked.js";
import { assertHeld } from "./loop-holds.js";
import { kinds, readElsewhere, serving } from "./serving-large.js";

const MIB = 1024 * 1024;
/** Size of a task that is asked for. */
const LARGE = 9;
const READERS = 60;
const SUBSCRIBERS = 30;
/** What may be unsent for one caller by default. */
const BOUND = 32 * MIB;

for (const { kind, skip } of kinds) {
  for (const [words, tasks] of [
    ["a task of 9 MiB", 1],
    ["9 tasks of 9 MiB", 9],
  ] as const) {
    // In memory the tasks alone would fill this heap.
    if (kind !== "SQLite" && tasks > 1) continue;
    test(`SEC-08: readers and subscribers of ${words} that read nothing end no process [${kind}]`, {
      skip,
    }, async () => {
      const serve = await serving(kind, tasks, LARGE);
      const { server } = serve;
      try {
        await readElsewhere(server.port, serve.ids[0] ?? "");
        const before = await server.held();
        await serve.holds();
        for (let index = 0; index < READERS; index += 1)
          serve.ask(reads[index % reads.length] as Asked, index);
        for (let index = 0; index < SUBSCRIBERS; index += 1)
          serve.ask(subscriptions[index % subscriptions.length] as Asked, index);
        for (let count = 0; count < 8; count += 1) {
          assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
          if (count % 4 === 0)
            assert.ok((await readElsewhere(server.port, serve.ids[count % tasks] ?? "")) > LARGE * MIB);
        }
        const holds = await serve.holds();
        assertHeld(holds, LARGE);
        const { heap, buffers } = await server.held();
        assert.equal(server.death, undefined);
        assert.ok(buffers - before.buffers > BOUND / 2, "answers wait to be sent");
        assert.ok(buffers - before.buffers < BOUND + 10 * MIB, `${buffers / MIB} MiB of buffers`);
        assert.ok(heap - before.heap < 80 * MIB, `the heap has grown by ${(heap - before.heap) / MIB} MiB`);
        for (const socket of serve.sockets) socket.destroy();
        assert.ok((await serve.peer.call("GetTask", { id: serve.ids[0] })).result);
      } finally {
        await serve.stop();
      }
    });
  }
}
