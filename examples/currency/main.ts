import { connect, type Received, type Task, textOf } from "a2a-parley/client";
import { serve } from "a2a-parley/server";
import { agent } from "./agent.js";

const server = await serve(agent);
const client = await connect(server.url);

console.log("Synchronous: how much is 10 USD in INR?");
show((await client.sendText("How much is 10 USD in INR?")).task);

console.log("\nMulti-turn: how much is 1 USD?");
const { task: asked } = await client.sendText("How much is 1 USD?");
show(asked);
if (asked) show((await client.reply(asked, "CAD")).task);

console.log("\nStreaming: how much is 100 EUR in JPY?");
for await (const { task, statusUpdate, artifactUpdate } of client.stream("How much is 100 EUR in JPY?")) {
  if (artifactUpdate) console.log(`  artifact: ${textOf(artifactUpdate.artifact)}`);
  const status = task?.status ?? statusUpdate?.status;
  if (status) console.log(`  ${status.state}`, status.message ? textOf(status.message) : "");
}

await server.close();

/** Shows the state of a task, and its message or last artifact. */
function show(task: Received<Task> | undefined): void {
  const said = task?.status.message ?? task?.artifacts?.at(-1);
  console.log(`  ${task?.status.state}`, said ? textOf(said) : "");
}
