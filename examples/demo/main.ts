import { serve } from "a2a-parley/server";
import { planner } from "./agent.js";
import { exchange } from "./exchange.js";

const { PORT = "41241" } = process.env;
const server = await serve(planner, { port: Number(PORT) });
console.log(`Agent card: ${server.url}/.well-known/agent-card.json\n`);
await exchange(server.url, console.log);

if (process.argv.includes("--once")) {
  await server.close();
} else {
  console.log(`\nServing at ${server.url} until you press Ctrl+C.`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void server.close());
}
