import { connect, textOf } from "a2a-parley/client";
import { serve } from "a2a-parley/server";
import { agent } from "./agent.js";
import { shakyNetwork } from "./shaky-network.js";

const server = await serve(agent);
const client = await connect(server.url, { fetch: shakyNetwork(2_000) });

const stream = client.stream("a fox");
for await (const { task, statusUpdate, artifactUpdate } of stream) {
  const status = task?.status ?? statusUpdate?.status;
  if (status) console.log(status.state, status.message ? textOf(status.message) : "");
  if (artifactUpdate) console.log(`+ ${textOf(artifactUpdate.artifact)}`);
}

// The stream has combined the chunks, as the server has.
const [story] = stream.task?.artifacts ?? [];
if (story) console.log(`\n${story.name}: ${textOf(story)}`);

await server.close();
