import { setTimeout as sleep } from "node:timers/promises";
import { type Asked, askUnread, reads, subscriptions } from "../../test/operations/asked.js";
import { readElsewhere } from "../../test/operations/serving-large.js";
import { rpcPeer, text } from "../../test/support/peer.js";
import type { Trouble } from "./trouble.js";

const MIB = 1024 * 1024;
const [TASKS, LARGE] = [2, 9];
/** How long a reader keeps its connection without reading, in milliseconds. */
const STAY_MS = 3000;

const send = (method: string): Asked => ({
  name: method,
  version: "1.0",
  call: (taskId) => ({ jsonrpc: "2.0", id: 1, method, params: text("more", { message: { taskId } }) }),
});

/** Every kind of answer: tasks, streams, pages, responses to sends, cards, refusals and health. */
const answers: readonly Asked[] = [
  ...reads,
  ...subscriptions,
  send("SendMessage"),
  send("SendStreamingMessage"),
  { name: "a page", verb: "GET", version: "1.0", path: () => "/tasks?includeArtifacts=true" },
  {
    name: "a page over JSON-RPC",
    version: "1.0",
    call: () => ({ jsonrpc: "2.0", id: 1, method: "ListTasks", params: { includeArtifacts: true } }),
  },
  { name: "a card", verb: "GET", path: () => "/.well-known/agent-card.json" },
  { name: "a refusal", verb: "GET", version: "1.0", path: () => "/tasks/none" },
  { name: "health", verb: "GET", path: () => "/healthz" },
];

/** Readers that ask for something and stop: tasks of 9 MiB, in every version, over every binding. */
export const readers: Trouble = {
  name: "readers that stop",
  program: "test/operations/large-tasks.ts",
  concurrency: 48,
  ceiling: { during: 144 * MIB, after: 24 * MIB },
  async open({ url, port }) {
    const peer = rpcPeer(url);
    const ids: string[] = [];
    for (let count = 0; count < TASKS; count += 1)
      ids.push((await peer.call("SendMessage", text(`large ${LARGE}`))).result.task.id);
    return {
      async make(random) {
        const socket = askUnread(port, random.pick(answers), random.pick(ids));
        await sleep(random.below(STAY_MS));
        socket.destroy();
      },
      check: async () => (await readElsewhere(port, ids[0] ?? "")) > LARGE * MIB,
    };
  },
};
