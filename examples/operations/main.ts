import { openPrometheus } from "a2a-parley/prometheus";
import { serve } from "a2a-parley/server";
import { PostgresStore } from "a2a-parley/stores/postgres";
import { agent } from "./agent.js";

const { DATABASE_URL, HOST = "127.0.0.1", PUBLIC_URL } = process.env;

// Metrics have a port of their own, which only Prometheus can reach.
const prometheus = await openPrometheus({ port: 9464, host: HOST });
const store = DATABASE_URL === undefined ? undefined : await PostgresStore.open({ url: DATABASE_URL });
const server = await serve(agent, {
  port: 4000,
  host: HOST,
  telemetry: prometheus.telemetry,
  ...(store && { store }),
  ...(PUBLIC_URL && { publicUrl: PUBLIC_URL }),
});
console.log(`${server.url}, metrics on port 9464`);

process.once("SIGTERM", async () => {
  await server.close(20);
  await prometheus.close();
  await store?.close();
});
