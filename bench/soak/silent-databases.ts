import { setTimeout as sleep } from "node:timers/promises";
import { emptyDatabase } from "../../test/support/each-store.js";
import { rpcPeer, text } from "../../test/support/peer.js";
import { withoutPostgres } from "../../test/support/postgres.js";
import { type SwallowingProxy, swallowingProxy } from "../../test/support/swallowing-proxy.js";
import type { Trouble } from "./trouble.js";

const MIB = 1024 * 1024;
/** For how long bytes are swallowed, and how long they pass afterwards, in milliseconds. */
const [SILENT_MS, PASSING_MS] = [3000, 6000];
const LONGEST_MS = 30_000;

let proxy: SwallowingProxy | undefined;

/** Connections to PostgreSQL that die without a word, again and again, while callers send. */
export const databases: Trouble = {
  name: "database connections that die silently",
  ...(withoutPostgres && { obstacle: "PostgreSQL is not on this machine" }),
  program: "bench/soak/trouble-server.ts",
  async args() {
    proxy = await swallowingProxy(await emptyDatabase());
    return [proxy.url];
  },
  concurrency: 8,
  ceiling: { during: 64 * MIB, after: 24 * MIB },
  isOutage: true,
  async open({ url }) {
    const peer = rpcPeer(url);
    let isOver = false;
    const outages = (async () => {
      while (!isOver) {
        await sleep(PASSING_MS);
        proxy?.swallow();
        await sleep(SILENT_MS);
        proxy?.pass();
      }
    })();
    /** Tasks whose creation callers have seen. */
    const told: string[] = [];
    const complete = async () => {
      const { result } = await peer.call("SendMessage", text("go"));
      if (result?.task) told.push(result.task.id);
      return result?.task.status.state === "TASK_STATE_COMPLETED";
    };
    return {
      async make() {
        await Promise.race([complete().catch(() => false), sleep(LONGEST_MS, false, { ref: false })]);
      },
      async check() {
        // Tasks that callers have seen must exist.
        const id = told[Math.floor(told.length / 2)];
        if (id === undefined || !(await complete())) return false;
        const { result } = await peer.call("GetTask", { id });
        return result?.status.state === "TASK_STATE_COMPLETED";
      },
      async close() {
        isOver = true;
        await outages;
        proxy?.close();
      },
    };
  },
};
