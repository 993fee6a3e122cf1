import assert from "node:assert/strict";
import { test } from "vitest";
import { artifact, completed, defineAgent, working } from "../../../src/index.js";
import { createHandler } from "../../../src/server/fetch/index.js";
import { MemoryStore } from "../../../src/stores/index.js";
import type { TaskStore } from "../../../src/stores/task-store.js";
import { plainCard } from "../../support/peer.js";
import { callText, json, version } from "../scripted-agent.js";

const base = "https://agent.example";
const post = (text: string) => new Request(base, { method: "POST", headers: json, body: text });
const atOnce = callText("SendMessage").replace(/}}$/, ',"configuration":{"returnImmediately":true}}}');
const never = new Promise<never>(() => undefined);

/** A store whose process can freeze: then nothing of it reaches the store any more, and the lease is not renewed. */
function freezing(store: MemoryStore) {
  let isFrozen = false;
  const frozen = new Proxy(store, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...call: unknown[]) => (isFrozen ? never : member.apply(target, call));
    },
  });
  const freeze = () => {
    isFrozen = true;
  };
  return { frozen: frozen as TaskStore, freeze };
}

test("a scheduled call takes up what a frozen process has left undone on its store", async (t) => {
  const store = new MemoryStore();
  const { frozen, freeze } = freezing(store);
  const runs: number[] = [];
  const agent = defineAgent({
    card: plainCard,
    attempts: 2,
    async *execute({ attempt }) {
      runs.push(attempt);
      yield working();
      if (attempt === 1) await never;
      yield artifact({ name: "late" }).text("done");
      yield completed();
    },
  });
  const first = createHandler(agent, { store: frozen, leaseTime: 0.3, logger: false });
  t.onTestFinished(() => first.close(0));
  const { result } = (await (await first(post(atOnce))).json()) as any;
  freeze();
  // Its own look for expired leases comes after minutes.
  const second = createHandler(agent, { store, leaseTime: 1000, logger: false });
  t.onTestFinished(() => second.close(0));
  await second.tick();
  assert.deepEqual(runs, [1], "the lease of the frozen process holds");
  await new Promise((resolve) => setTimeout(resolve, 350));
  await second.tick();
  assert.deepEqual(runs, [1, 2]);
  const task = await second(new Request(`${base}/tasks/${result.task.id}`, { headers: version }));
  assert.equal(((await task.json()) as any).status.state, "TASK_STATE_COMPLETED");
});

test("a scheduled call finds nothing where nothing was left, and after the handler was closed", async () => {
  const handler = createHandler(defineAgent({ card: plainCard, execute: async () => undefined }));
  await handler.tick();
  await handler.close(0);
  await handler.tick();
});
