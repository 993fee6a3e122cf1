import assert from "node:assert/strict";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { type TestContext, test } from "vitest";
import { completed, type ExecutionContext, type Update, working } from "../../../src/index.js";
import { serve } from "../../../src/server/index.js";
import { PostgresStore } from "../../../src/stores/postgres/index.js";
import { started } from "../../engine/two-nodes.js";
import { NotingLogger } from "../../push/desk.js";
import { emptyDatabase } from "../../support/each-store.js";
import { plainCard, rpcPeer, text } from "../../support/peer.js";
import { withoutPostgres as skip } from "../../support/postgres.js";
import { swallowingProxy } from "../../support/swallowing-proxy.js";

/** Seconds of a lease, which is shorter than the time that a statement has. */
const LEASE = 1;
/** What a busy machine may need besides, in milliseconds. */
const SLACK = 1500;

/** One node that reaches PostgreSQL by way of a proxy, and one that reaches it directly. */
async function twoNodes(t: TestContext) {
  const direct = await emptyDatabase();
  const proxy = await swallowingProxy(direct, t);
  const aborted: number[] = [];
  async function* execute({ signal, text }: ExecutionContext): AsyncGenerator<Update> {
    yield working();
    if (text === "brief") await setTimeout(2000 * LEASE, undefined, { signal });
    else await once(signal, "abort").finally(() => aborted.push(Date.now()));
    yield completed();
  }
  const open = async (url: string) => {
    const store = await PostgresStore.open({ url });
    const logger = new NotingLogger();
    const server = await serve({ card: plainCard, execute }, { port: 0, store, logger, leaseTime: LEASE });
    return { store, logger, server, peer: rpcPeer(server.url) };
  };
  return { proxy, aborted, here: await open(proxy.url), there: await open(direct) };
}

async function waitFor(isMet: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = performance.now() + 20_000; !(await isMet()); await setTimeout(20))
    if (performance.now() > end) assert.fail(`Waited too long until ${what}`);
}

test("a node whose connections die in silence stops its executors in time, and works again by itself", {
  skip,
}, async (t) => {
  const { proxy, aborted, here, there } = await twoNodes(t);
  const { result } = await here.peer.call("SendMessage", text("go", started));
  const { id } = result.task;
  const status = async () => (await there.peer.call("GetTask", { id })).result.status;
  await setTimeout(LEASE * 500);
  proxy.swallow();
  const begin = Date.now();
  await waitFor(async () => (await status()).state === "TASK_STATE_FAILED", "the task has failed");
  await waitFor(() => aborted.length === 1, "the executor was told to stop");
  const [at = 0] = aborted;
  assert.ok(at - begin < 1000 * LEASE + SLACK, `told to stop after ${at - begin} ms`);
  assert.ok(at <= Date.parse((await status()).timestamp), "and before another node failed its task");
  const failures = () => here.logger.lines.filter(({ text }) => text.startsWith("The store is failing"));
  assert.equal(failures().filter(({ level }) => level === "error").length, 1);
  proxy.pass();
  const isBack = performance.now();
  await here.logger.told("The store has recovered");
  assert.ok(performance.now() - isBack < 2500 + SLACK, `${performance.now() - isBack} ms`);
  // Lasts for two leases, which only renewals can.
  const { result: brief } = await here.peer.call("SendMessage", text("brief"));
  assert.equal(brief.task.status.state, "TASK_STATE_COMPLETED");
  for (const { server, store } of [here, there]) {
    await server.close(1);
    await store.close();
  }
});

test("a server whose store does not answer closes within its grace", { skip }, async (t) => {
  const { proxy, aborted, here, there } = await twoNodes(t);
  await here.peer.call("SendMessage", text("go", started));
  proxy.swallow();
  const begin = performance.now();
  await here.server.close(1);
  const took = performance.now() - begin;
  assert.ok(took < 1000 + SLACK, `${took} ms`);
  assert.equal(aborted.length, 1);
  await here.store.close();
  assert.ok(performance.now() - begin < 6000, `${performance.now() - begin} ms`);
  await there.server.close(1);
  await there.store.close();
});
