import assert from "node:assert/strict";
import { test } from "vitest";
import { defineAgent, inputRequired } from "../../src/index.js";
import { PostgresStore } from "../../src/stores/postgres/index.js";
import { emptyDatabase } from "../support/each-store.js";
import { plainCard, serveFor, text } from "../support/peer.js";
import { withoutPostgres } from "../support/postgres.js";

const ROUNDS = 1000;
/** Rounds of one task: each adds a message to its history. */
const OF_TASK = 50;
const draft = { "A2A-Version": "1.1-draft" };

test("GEN-08: of two senders with the same generation on two nodes one wins, a thousand times", {
  skip: withoutPostgres,
}, async (t) => {
  const url = await emptyDatabase();
  const agent = defineAgent({
    card: plainCard,
    async *execute() {
      yield inputRequired("Next?");
    },
  });
  const node = async () => {
    const store = await PostgresStore.open({ url });
    t.onTestFinished(() => store.close());
    return (await serveFor(t, agent, { store, versions: ["1.1-draft"] })).rpc;
  };
  const nodes = [await node(), await node()];
  const [here] = nodes;
  const begin = async () => (await here?.call("SendMessage", text("go"), draft))?.result.task;
  let task = await begin();
  for (let round = 0; round < ROUNDS; round++) {
    if (round % OF_TASK === 0) task = await begin();
    const { id, generation } = task;
    const message = { taskId: id };
    const configuration = { ifGenerationMatch: generation };
    const answers = await Promise.all(
      nodes.map((peer) =>
        peer.call("SendMessage", text(`round ${round}`, { message, configuration }), draft),
      ),
    );
    const [won, ...others] = answers.filter(({ result }) => result !== undefined);
    assert.deepEqual(others, [], `round ${round}: both have won`);
    const lost = answers.find(({ error }) => error !== undefined);
    assert.equal(lost?.error, "TASK_GENERATION_MISMATCH", `round ${round}: ${JSON.stringify(answers)}`);
    assert.equal(lost?.metadata.expectedGeneration, generation);
    task = won?.result.task;
    // The message, and the question that answers it: nothing of the one that lost.
    assert.equal(Number(task.generation), Number(generation) + 2);
    assert.equal(
      task.history.filter(({ role }: { role: string }) => role === "ROLE_USER").length,
      (round % OF_TASK) + 2,
    );
  }
});
