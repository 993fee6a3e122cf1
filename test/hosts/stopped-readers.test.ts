import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { callText, json } from "../server/scripted-agent.js";
import { hosts, startApart } from "./hosts.js";
import type { Hosted } from "./processes.js";
import { folder, written } from "./programs.js";

const KIB = 1024;
const MIB = KIB * KIB;
/** Number of readers that stop, where the memory of the process is measured. */
const READERS = 48;
/** What the memory of a process may grow by besides, in shares of that: fragments, and pages that are not given back. */
const TOLERANCE = 1.5;

/** Bytes that a runtime reads in advance and holds besides: workerd has a buffer between two of its workers. */
const readInAdvance: Readonly<Record<string, number>> = { workerd: MIB };

/** Hosts to test, separated by commas; all that are installed by default. */
const chosen = process.env.HOSTS?.split(",") ?? Object.keys(hosts);

/** Sends a request and reads nothing of the response. */
async function stoppedReader(url: string, method: string, text: string): Promise<Socket> {
  const { hostname, port, pathname } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on("error", () => undefined);
  socket.pause();
  await once(socket, "connect");
  const body = callText(method, text);
  const headers = Object.entries({ ...json, Host: `${hostname}:${port}`, "Content-Length": body.length });
  socket.write(
    `POST ${pathname} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`,
  );
  return socket;
}

const ask = async (url: string, method: "GetTask" | "CancelTask", id: string) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { id } });
  return (await (await fetch(url, { method: "POST", headers: json, body })).json()) as any;
};

/** How many events were produced for a reader. */
const producedFor = async (url: string, id: string): Promise<number> =>
  (await ask(url, "GetTask", id)).result.metadata.produced;

/** Bytes of connections that have left the process of the server and that no reader has taken, as Linux counts them. */
function bytesInKernel(readers: readonly Socket[]): number {
  const hex = (port = 0) => `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const near = new Set(readers.map(({ localPort }) => hex(localPort)));
  let bytes = readers.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  for (const line of readFileSync("/proc/net/tcp", "utf8").split("\n")) {
    const [, from = "", to = "", , queues = ""] = line.trim().split(/\s+/);
    const [sent = 0, received = 0] = queues.split(":").map((count) => Number.parseInt(count, 16));
    if (near.has(from)) bytes += received;
    if (near.has(to)) bytes += sent;
  }
  return bytes;
}

/** Resolves with a number when it has not grown for a while. */
async function settled(read: () => number | Promise<number>): Promise<number> {
  for (let last = await read(), calm = 0; ; ) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const now = await read();
    calm = now > last ? 0 : calm + 1;
    if (calm === 4) return now;
    last = now;
  }
}

/** Bytes of memory of a process that no file backs. */
function memoryOf(pid: number): number {
  const [, kib] = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) * KIB;
}

for (const name of chosen) {
  const start = process.platform === "linux" ? startApart(name) : undefined;
  describe.skipIf(start === undefined)(name, () => {
    let host: Hosted;
    let pid = 0;
    /** Bytes that were held, by the size of the events. */
    const held: Record<string, number> = {};
    beforeAll(async () => {
      host = (await start?.({ AGENT: "endless" })) ?? assert.fail();
      pid = host.pid ?? assert.fail("the host has a process of its own");
    });
    afterAll(async () => {
      await host?.close();
      written(join(folder, "results", `${name}-held.json`), JSON.stringify(held));
    });

    for (const size of [64 * KIB, 4 * MIB, 9 * MIB])
      test(`SEC-08: a stream of events of ${size / KIB} KiB stops, and one event or 1 MiB is held at most`, async () => {
        const id = `${size} alone`;
        const reader = await stoppedReader(host.url, "SendStreamingMessage", id);
        const produced = await settled(() => producedFor(host.url, id));
        const left = bytesInKernel([reader]);
        reader.destroy();
        assert.ok(produced > 0, "the stream has begun");
        held[size] = produced * size - left;
        const most = size <= MIB ? MIB : size + (readInAdvance[name] ?? 0);
        assert.ok(
          produced * size - left <= most,
          `${produced} events of ${size} bytes, of which ${left} bytes have left the process`,
        );
      });

    for (const { what, method, size, count } of [
      { what: "streams of events of 64 KiB", method: "SendStreamingMessage", size: 64 * KIB, count: READERS },
      { what: "responses of 6 MiB", method: "SendMessage", size: 6 * MIB, count: READERS / 3 },
    ])
      test(`SEC-08: ${count} readers of ${what} that stop take one event or 1 MiB of memory each at most`, async () => {
        const readers: Socket[] = [];
        const collected = async () => {
          for (let index = 0; index < 3; index += 1) await ask(host.url, "CancelTask", "garbage");
          return memoryOf(pid);
        };
        const stopped = async () => {
          for (let index = 0; index < count; index += 1) {
            const id = `${size} ${performance.now()}`;
            readers.push(await stoppedReader(host.url, method, id));
          }
          await settled(() => bytesInKernel(readers));
          return collected();
        };
        // The first round brings the process to the size that such requests need.
        await stopped();
        for (const reader of readers.splice(0)) reader.destroy();
        await new Promise((resolve) => setTimeout(resolve, 500));
        const before = await collected();
        const growth = ((await stopped()) - before) / count;
        for (const reader of readers) reader.destroy();
        assert.ok(growth <= Math.max(size, MIB) * TOLERANCE, `${growth / KIB} KiB for each reader`);
      });

    test("STR-04: no stream is produced any more when its reader has left, at whatever point", async () => {
      for (const wait of [0, 1, 10, 100]) {
        const reader = await stoppedReader(
          host.url,
          "SendStreamingMessage",
          `${64 * KIB} leaves after ${wait}`,
        );
        await new Promise((resolve) => setTimeout(resolve, wait));
        reader.destroy();
      }
      const open = async () => (await ask(host.url, "GetTask", "any")).result.metadata.open;
      for (let count = 0; count < 100 && (await open()) > 0; count += 1)
        await new Promise((resolve) => setTimeout(resolve, 100));
      assert.equal(await open(), 0);
    });
  });
}
