import { serve } from "a2a-parley/server";
import { PostgresStore } from "a2a-parley/stores/postgres";
import { SqliteStore } from "a2a-parley/stores/sqlite";
import { agent } from "./agent.js";

const { DATABASE_URL, DATABASE_FILE, HOST = "127.0.0.1", PORT = "4000", PUBLIC_URL } = process.env;
/** Seconds for executors, streams and webhooks after SIGTERM. The platform must wait longer before it kills the process. */
const { GRACE = "20", LEASE_TIME = "15" } = process.env;

const store =
  DATABASE_URL === undefined
    ? DATABASE_FILE && new SqliteStore({ file: DATABASE_FILE })
    : await PostgresStore.open({ url: DATABASE_URL });
const server = await serve(agent, {
  ...(store && { store }),
  ...(PUBLIC_URL && { publicUrl: PUBLIC_URL }),
  host: HOST,
  port: Number(PORT),
  leaseTime: Number(LEASE_TIME),
  trustProxy: true,
  whenClosing: "finish",
});
console.log(`listening on port ${server.port}`);

process.once("SIGTERM", async () => {
  await server.close(Number(GRACE));
  if (store) await store.close();
});
