import { connect, textOf } from "a2a-parley/client";
import { serve } from "a2a-parley/server";
import { agent } from "./agent.js";

const server = await serve(agent);

const client = await connect(server.url);
console.log(`${client.card.name}: ${client.card.description}`);
const { task } = await client.sendText("hello");
for (const artifact of task?.artifacts ?? []) console.log(textOf(artifact));

await server.close();
