import { connect, isInterrupted, type Received, type Task, textOf } from "a2a-parley/client";
import { serve } from "a2a-parley/server";
import { agent } from "./agent.js";

const server = await serve(agent);
const client = await connect(server.url);

/** Sends a message in a conversation, and answers the questions of the agent. */
async function order(
  text: string,
  answers: string[],
  contextId?: string,
): Promise<Received<Task> | undefined> {
  console.log(`guest: ${text}`);
  let { task } = await client.sendText(text, contextId ? { message: { contextId } } : {});
  while (task && isInterrupted(task.status.state)) {
    const answer = answers.shift() ?? "";
    console.log(`agent: ${task.status.message && textOf(task.status.message)}\nguest: ${answer}`);
    ({ task } = await client.reply(task, answer));
  }
  for (const artifact of task?.artifacts ?? []) console.log(`agent: ${artifact.name} = ${textOf(artifact)}`);
  return task;
}

const first = await order("A pizza, please", ["large", "artichokes"]);
await order("The usual", [], first?.contextId);

await server.close();
