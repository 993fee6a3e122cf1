import { serve } from "../../src/server/index.js";
import { MemoryStore, type Scope, type TaskStore } from "../../src/stores/index.js";
import { serveTarget } from "./control.js";
import { agent } from "./parley-agent.js";

// Parley as an application uses it: `defineAgent` and `serve`, nothing switched off. The lists are of 100,000 tasks of one owner, and no other target has a bound.
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
