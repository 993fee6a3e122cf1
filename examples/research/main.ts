import { connect, textOf } from "a2a-parley/client";
import { serve } from "a2a-parley/server";
import { agents } from "./agents.js";
import { modelOf } from "./model.js";

const [, , topic = "Tidal power"] = process.argv;
const server = await serve(agents(modelOf(process.env)));

/** Asks one of the agents a question, shows its progress, and returns the answer. */
async function ask(path: string, question: string): Promise<string> {
  const client = await connect(`${server.url}/${path}`);
  const stream = client.stream(question);
  for await (const { task, statusUpdate } of stream) {
    const said = (task?.status ?? statusUpdate?.status)?.message;
    if (said) console.log(textOf(said));
  }
  if (stream.task?.status.state !== "TASK_STATE_COMPLETED")
    throw new Error(`${client.card.name} has no answer`);
  return stream.task.artifacts?.map(textOf).join("\n") ?? "";
}

try {
  const [one, two] = await Promise.all([ask("optimist", topic), ask("sceptic", topic)]);
  console.log(`\nOptimist: ${one}\nSceptic: ${two}\n`);
  const verdict = await ask("evaluator", `${topic}\n\nFirst answer: ${one}\n\nSecond answer: ${two}`);
  console.log(`\nEvaluator: ${verdict}`);
} finally {
  await server.close();
}
