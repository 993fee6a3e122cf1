import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { test } from "vitest";
import { temporaryFile } from "../stores/sqlite/temporary-file.js";
import { emptyDatabase } from "../support/each-store.js";
import { rpcPeer, text } from "../support/peer.js";
import { withoutPostgres } from "../support/postgres.js";
import { SmallHeapServer } from "../support/small-heap.js";
import { type Asked, askUnread, reads, subscriptions } from "./asked.js";

const MIB = 1024 * 1024;
/** Size of a task that is asked for. */
const LARGE = 9;
const READERS = 60;
const SUBSCRIBERS = 30;
/** What may be unsent for one caller by default. */
const BOUND = 32 * MIB;

const stores: Readonly<Record<string, () => Promise<{ place: string; remove?: () => void }>>> = {
  memory: async () => ({ place: "" }),
  SQLite: async () => {
    const { file, remove } = temporaryFile();
    return { place: file, remove };
  },
  PostgreSQL: async () => ({ place: await emptyDatabase() }),
};

/** Starts a server with a small heap and makes tasks on it. */
async function serving(kind: string, tasks: number) {
  const { place, remove } = (await stores[kind]?.()) ?? { place: "" };
  const server = await SmallHeapServer.start("test/operations/large-tasks.ts", kind, place);
  const peer = rpcPeer(server.url);
  const ids: string[] = [];
  for (let count = 0; count < tasks; count += 1) {
    const { result } = await peer.call("SendMessage", text(`large ${LARGE}`));
    ids.push(result.task.id);
  }
  const sockets: Socket[] = [];
  return {
    server,
    peer,
    ids,
    sockets,
    /** Sends a request and reads nothing of the answer. */
    ask(asked: Asked, index: number): void {
      sockets.push(askUnread(server.port, asked, ids[index % ids.length] ?? ""));
    },
    /** The longest time for which the event loop stood still since the last call, in milliseconds. */
    async delay(): Promise<number> {
      return Number((await peer.call("SendMessage", text("delay"))).result.message.parts[0].text);
    },
    async stop(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      await server.stop();
      remove?.();
    },
  };
}

/** Reads a task as a caller with another address. */
async function readElsewhere(port: number, id: string): Promise<number> {
  const request = httpRequest({
    ...{ port, host: "127.0.0.1", localAddress: "127.0.0.2", path: `/tasks/${id}` },
    headers: { "A2A-Version": "1.0" },
  }).end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  let length = 0;
  for await (const chunk of response) length += chunk.length;
  return response.statusCode === 200 ? length : 0;
}

for (const kind of Object.keys(stores)) {
  const skip = kind === "PostgreSQL" && withoutPostgres;
  for (const [words, tasks] of [
    ["a task of 9 MiB", 1],
    ["9 tasks of 9 MiB", 9],
  ] as const) {
    // In memory the tasks alone would fill this heap.
    if (kind !== "SQLite" && tasks > 1) continue;
    test(`SEC-08: readers and subscribers of ${words} that read nothing end no process [${kind}]`, {
      skip,
    }, async () => {
      const serve = await serving(kind, tasks);
      const { server } = serve;
      try {
        await readElsewhere(server.port, serve.ids[0] ?? "");
        await serve.delay();
        await readElsewhere(server.port, serve.ids[0] ?? "");
        const alone = await serve.delay();
        const before = await server.held();
        await serve.delay();
        for (let index = 0; index < READERS; index += 1)
          serve.ask(reads[index % reads.length] as Asked, index);
        for (let index = 0; index < SUBSCRIBERS; index += 1)
          serve.ask(subscriptions[index % subscriptions.length] as Asked, index);
        for (let count = 0; count < 8; count += 1) {
          assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
          if (count % 4 === 0)
            assert.ok((await readElsewhere(server.port, serve.ids[count % tasks] ?? "")) > LARGE * MIB);
        }
        const longest = await serve.delay();
        // A few times as long leaves room for other work of the machine; all readers in one turn take 60 times as long.
        assert.ok(
          longest < 8 * alone + 1000,
          `the event loop stood still for ${longest} ms, alone for ${alone} ms`,
        );
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
