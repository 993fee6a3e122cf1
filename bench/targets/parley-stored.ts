import { serve } from "../../src/server/index.js";
import type { TaskStore } from "../../src/stores/index.js";
import { serveTarget, type TargetOptions } from "./control.js";
import { countRequests, countStatements, statements } from "./count-statements.js";
import { agent } from "./parley-agent.js";

/** The durable store that the options name. */
async function open({ sqlite, synchronous, postgres, libsql }: TargetOptions): Promise<TaskStore> {
  if (postgres !== undefined) {
    const { PostgresStore } = await import("../../src/stores/postgres/index.js");
    return PostgresStore.open({ url: postgres });
  }
  if (libsql !== undefined) {
    const { LibsqlStore } = await import("../../src/stores/libsql/index.js");
    return LibsqlStore.open({ url: libsql, fetch: countRequests });
  }
  const { SqliteStore } = await import("../../src/stores/sqlite/index.js");
  return new SqliteStore({ file: sqlite ?? ":memory:", synchronous });
}

// Parley with a durable store, whose statements are counted.
await serveTarget({
  async start(options) {
    countStatements();
    const { port } = await serve(agent, { store: await open(options) });
    return { port, jsonRpc: "/", httpJson: "" };
  },
  statements,
});
