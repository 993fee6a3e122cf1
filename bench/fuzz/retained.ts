import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { ways } from "../../test/operations/ways.js";
import { SmallHeapServer } from "../../test/support/small-heap.js";
import type { Random } from "../random.js";

const MIB = 1024 * 1024;
/** Streams and calls that are opened; their bodies together are three times the heap of the server. */
const COUNT = 96;
/** Maximum growth of memory in bytes. */
const CEILING = 24 * MIB;

/**
 * Opens streams and tasks that wait with bodies of 8 MiB that hold next to nothing, on a server with 256 MiB of old space, and looks at
 * what is left of them.
 * @returns how many were opened
 */
export async function sendPadded(random: Random, note: (fault: string) => void): Promise<number> {
  const server = await SmallHeapServer.start("test/operations/small-server.ts");
  const sockets: Socket[] = [];
  try {
    const before = await server.held();
    for (let count = 0; count < COUNT; count += 1) {
      const way = random.pick(ways);
      const streaming = random.chance(0.5);
      const padding = random.pick([" ", "\n", "\t", "\r"]).repeat(8 * MIB);
      const more = random.chance(0.3) ? { params: { junk: padding } } : {};
      const json = JSON.stringify(way.body(streaming ? "work" : "ask", streaming, more));
      const body = Buffer.from("params" in more ? json : `${json}${padding}`);
      const fields = { ...way.headers, "Content-Type": "application/json", "Content-Length": body.length };
      const head = Object.entries({ Host: "localhost", ...fields }).map(
        ([name, value]) => `${name}: ${value}\r\n`,
      );
      const socket = connect(server.port, "127.0.0.1");
      sockets.push(socket);
      socket.on("error", () => undefined);
      socket.write(`POST ${way.path[streaming ? "stream" : "send"]} HTTP/1.1\r\n${head.join("")}\r\n`);
      socket.write(body);
      await Promise.race([once(socket, "data"), once(socket, "close")]);
      socket.resume();
      if (server.death !== undefined) break;
    }
    const { heap, buffers } = await server.held();
    const growth = heap + buffers - before.heap - before.buffers;
    if (growth > CEILING) note(`${COUNT} padded bodies have left ${(growth / MIB).toFixed(0)} MiB behind`);
  } catch (error) {
    note(`padded bodies: ${server.death ?? error}`);
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.stop();
  }
  return sockets.length;
}
