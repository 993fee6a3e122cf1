import { ways } from "../../test/operations/ways.js";
import { SmallHeapServer } from "../../test/support/small-heap.js";
import type { Random } from "../random.js";

const MIB = 1024 * 1024;
const COUNT = 1000;
const CONCURRENCY = 16;
/** The server waits 50 ms for a hook that never settles. */
const LONGEST_MS = 3000;
/** Maximum growth of memory in bytes: the stored tasks, and little else. */
const CEILING = 32 * MIB;

/**
 * Calls a server with 256 MiB of old space whose hooks throw, reject, never settle or succeed, at random. Each call must be answered, and no
 * failed hook may end the process or stay in its memory.
 * @returns how many calls were sent
 */
export async function sendToHooks(random: Random, note: (fault: string) => void): Promise<number> {
  const server = await SmallHeapServer.start("bench/fuzz/hooks-server.ts", String(random.below(2 ** 31)));
  let sent = 0;
  const call = async () => {
    while (sent < COUNT && server.death === undefined) {
      sent += 1;
      const way = random.pick(ways);
      const streaming = random.chance(0.3);
      const response = await fetch(server.url + way.path[streaming ? "stream" : "send"], {
        method: "POST",
        headers: { "Content-Type": "application/json", ...way.headers },
        body: JSON.stringify(way.body("answer", streaming)),
        signal: AbortSignal.timeout(LONGEST_MS),
      });
      await response.text();
    }
  };
  try {
    const before = await server.held();
    await Promise.all(Array.from({ length: CONCURRENCY }, call));
    const { heap, buffers } = await server.held();
    const growth = heap + buffers - before.heap - before.buffers;
    if (growth > CEILING)
      note(`${sent} calls with failing hooks have left ${(growth / MIB).toFixed(0)} MiB behind`);
  } catch (error) {
    note(`failing hooks: ${server.death ?? error}`);
  } finally {
    await server.stop();
  }
  return sent;
}
