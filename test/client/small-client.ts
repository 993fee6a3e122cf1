import { ClientError } from "../../src/client/index.js";
import { clientAt } from "./hostile-agent.js";

/** Calls the agents whose URLs are its arguments, with the default limits, and prints how each call ends. */
for (const url of process.argv.slice(2)) {
  const client = await clientAt(url, { timeouts: {} });
  const call = url.endsWith("/stream") ? client.stream("x").result() : client.getTask({ id: "t" });
  const outcome = await call.catch((error: unknown) => error);
  process.stdout.write(`${outcome instanceof ClientError ? outcome.code : String(outcome)}\n`);
}
