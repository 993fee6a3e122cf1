import { createHook } from "node:async_hooks";
import { artifact, completed, defineAgent, reply, working } from "../../src/index.js";
import { AgentServer } from "../../src/server/agent-server.js";
import { answerJsonRpc, httpRequest } from "../server/bindings/exchange.js";
import { text } from "../support/peer.js";

const agent = defineAgent({
  card: { name: "Budget", description: "Counts", version: "1.0.0", skills: [] },
  async *execute({ text }) {
    if (text === "echo") return reply("echo");
    yield working();
    yield artifact({ name: "result" }).text("done");
    yield completed();
    return undefined;
  },
});

/** Promises that are made until some work is done, by whomever. */
async function promisesOf(work: () => Promise<unknown>): Promise<number> {
  let made = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === "PROMISE") made += 1;
    },
  });
  hook.enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return made;
}

/** Promises that each operation makes, from a body that was read to its answer. */
export async function countPromises(): Promise<Record<string, number>> {
  const site = new AgentServer(agent, {});
  site.settleAt("http://127.0.0.1");
  await site.loading;
  const ask = async (method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const answer = await answerJsonRpc(httpRequest({ body }), site.main.served);
    return JSON.parse(String("body" in answer && answer.body));
  };
  const { result } = await ask("SendMessage", text("task"));
  const { id } = result.task;
  const operations: Readonly<Record<string, () => Promise<unknown>>> = {
    "SendMessage, answered with a message": () => ask("SendMessage", text("echo")),
    "SendMessage, answered with a task": () => ask("SendMessage", text("task")),
    GetTask: () => ask("GetTask", { id }),
    ListTasks: () => ask("ListTasks", {}),
    "a request that is refused": () => ask("GetTask", {}),
  };
  const counts: Record<string, number> = {};
  for (const [name, operation] of Object.entries(operations)) counts[name] = await promisesOf(operation);
  await site.close(0);
  return counts;
}
