import { setTimeout } from "node:timers/promises";
import { artifact, completed, defineAgent, working } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { openStore } from "../../test/stores/open-store.js";

/**
 * A node of the drill: `node.ts <address of the store>`. It prints its URL, the runs that were aborted, and start and end of each run.
 */
const [address = ""] = process.argv.slice(2);
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const agent = defineAgent({
  card: { name: "Drill", description: "Writes pieces, each with the name of its process." },
  attempts: 1000,
  idempotentSends: true,
  async *execute({ text, attempt, signal, taskId }) {
    const [count = 0, every = 0] = text.split(" ").map(Number);
    const aborted = () => print(`aborted ${taskId}`);
    if (signal.aborted) aborted();
    else signal.addEventListener("abort", aborted);
    print(`began ${taskId} ${process.pid} ${attempt} ${Date.now()}`);
    try {
      yield working();
      const pieces = artifact({ artifactId: `attempt-${attempt}` });
      for (let piece = 0; piece < count; piece += 1) {
        await setTimeout(every, undefined, { signal });
        yield pieces.text(`${process.pid} ${attempt} ${piece}`);
      }
      yield completed();
    } finally {
      print(`ended ${taskId} ${process.pid} ${attempt} ${Date.now()}`);
    }
  },
});
const store = await openStore(address, { grace: 3_600_000 });
const server = await serve(agent, {
  store,
  leaseTime: 5,
  push: { allowHttp: true, allowPrivateNetworks: true, firstDelay: 0.2, maxDelay: 1, attempts: 1000 },
});
print(`listening ${server.url}`);
