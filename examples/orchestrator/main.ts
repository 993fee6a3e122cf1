import { connect, isInterrupted, textOf } from "a2a-parley/client";
import { serve } from "a2a-parley/server";
import { host } from "./agent.js";
import { specialists } from "./specialists.js";

const kitchen = await serve(specialists);
const house = await serve(host(kitchen.url));

const client = await connect(house.url);
let answer: string | undefined = "Dinner for two";
let message = {};
while (answer) {
  console.log(`guest: ${answer}`);
  const stream = client.stream(answer, { message });
  for await (const { task, statusUpdate, artifactUpdate } of stream) {
    const said = (task?.status ?? statusUpdate?.status)?.message;
    if (said) console.log(`  ${textOf(said)}`);
    if (artifactUpdate) console.log(`  ${artifactUpdate.artifact.name} = ${textOf(artifactUpdate.artifact)}`);
  }
  const { task } = stream;
  console.log(`  ${task?.status.state}`);
  answer = task && isInterrupted(task.status.state) ? "white" : undefined;
  message = { taskId: task?.id, contextId: task?.contextId };
}

await house.close();
await kitchen.close();
