import { type AgentDefinition, artifact, completed, defineAgent, reply, working } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { MemoryStore, type Scope, type TaskStore } from "../../src/stores/index.js";
import { description, name, skill } from "./card.js";
import { serveTarget } from "./control.js";
import { chunked, gate, gated, never, readCommand, tokens } from "./script.js";

/** Parley as an application uses it: `defineAgent` and `serve`, nothing switched off. */
const agent: AgentDefinition = defineAgent({
  card: { name, description, version: "1.0.0", skills: [skill] },
  async *execute({ text }) {
    const command = readCommand(text);
    if (command.name === "echo") return reply(text);
    if (command.name === "open") gate(command.key).open();
    if (command.name === "open") return reply("opened");
    yield working();
    if (command.name === "task") yield artifact({ name: "result" }).text("done");
    if (command.name === "hold") await never;
    if (gated.has(command.name)) await gate(command.key).opened;
    const chunks = artifact({ name: "chunks" });
    for await (const token of tokens(command)) {
      yield chunked.has(command.name) ? chunks.text(token) : working(token);
      if (command.name === "large") yield artifact().text(token);
    }
    yield completed();
    return undefined;
  },
});

// The lists are of 100,000 tasks of one owner, and no other target has a bound.
const store = new MemoryStore({
  maxBytes: Number.POSITIVE_INFINITY,
  maxBytesPerOwner: Number.POSITIVE_INFINITY,
});

/** A store on another machine: every call takes its time, at both ends of it. */
function slow(delay: number): TaskStore {
  const wait = () => new Promise((resolve) => setTimeout(resolve, delay));
  const later = async <Value>(call: () => Promise<Value>): Promise<Value> => {
    await wait();
    return call();
  };
  return {
    append: (...call) => later(() => store.append(...call)),
    load: (...call) => later(() => store.load(...call)),
    read: (scope, taskId, after, limit) => later(() => store.read(scope, taskId, after, limit)),
    list: (...call) => later(() => store.list(...call)),
    wait: (...call) => store.wait(...call),
    hold: (...call) => store.hold(...call),
  };
}

await serveTarget({
  async start({ storeDelay }) {
    const { port } = await serve(agent, { store: storeDelay === undefined ? store : slow(storeDelay) });
    return { port, jsonRpc: "/", httpJson: "" };
  },
  async fill(tasks, tenant) {
    const scope: Scope = { agent: "", tenant, owner: "" };
    for (const { id, contextId, timestamp } of tasks) {
      const status = { state: "TASK_STATE_COMPLETED" as const, timestamp };
      await store.append(scope, id, 0, [{ event: { task: { id, contextId, status } } }]);
    }
  },
});
