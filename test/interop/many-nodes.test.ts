import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "vitest";
import { checkAgent } from "../../src/conformance/check-agent.js";
import { collect, restPeer, rpcPeer, text } from "../support/peer.js";
import { testServer, withoutPostgres } from "../support/postgres.js";
import { startProbe } from "../support/probe.js";
import { type RoundRobinProxy, roundRobinProxy } from "../support/round-robin-proxy.js";
import { sdkClientTests } from "./sdk-client.js";

/** Each request goes to the next node. */
describe("three probe agents on one PostgreSQL, behind a proxy", { skip: withoutPostgres }, () => {
  let proxy: RoundRobinProxy;
  let nodes: string[];
  const stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const t = { onTestFinished: (stop: unknown) => void stops.unshift(stop as () => Promise<void>) };
    proxy = await roundRobinProxy(t);
    const store = `postgres:${await (await testServer()).database("nodes")}`;
    const env = { STORE: store, PUBLIC_URL: proxy.url };
    const probes = await Promise.all([1, 2, 3].map(() => startProbe(t, env)));
    nodes = probes.map(({ url }) => url);
    proxy.targets.push(...nodes);
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });

  test("three nodes meet every requirement that can be seen from outside", async () => {
    const report = await checkAgent(new URL(proxy.url), { responseTimeout: 60 });
    const violated = report.checks.filter(({ verdict }) => verdict === "violated");
    assert.deepEqual(
      violated.map(({ ids, over, claim, found }) => `${ids.join()} ${over}: ${claim}: ${found}`),
      [],
    );
    assert.deepEqual(report.bindings, ["JSONRPC", "HTTP+JSON"]);
    assert.ok((report.counts.MUST?.met ?? 0) > 180);
    assert.ok(nodes.every((node) => (proxy.passed.get(node) ?? 0) > 100));
  });

  sdkClientTests({ url: () => proxy.url, name: ", whichever of three nodes answers" });

  for (const [binding, peerOf] of [
    ["JSONRPC", rpcPeer],
    ["HTTP+JSON", (url: string) => restPeer(`${url}/a2a/rest`)],
  ] as const) {
    test(`a task that one node works on is followed on a second and canceled on a third, over ${binding}`, async () => {
      const [first, second, third] = nodes.map(peerOf);
      assert.ok(first && second && third);
      const begun = first.stream("SendStreamingMessage", text("hold 600000"));
      const { value: made } = await begun.next();
      const id: string = made?.data.task.id;
      const followed = second.stream("SubscribeToTask", { id });
      assert.equal((await followed.next()).value?.data.task.id, id);
      const canceled = await third.call("CancelTask", { id });
      assert.equal(canceled.result.status.state, "TASK_STATE_CANCELED");
      for (const frames of [await collect(begun), await collect(followed)]) {
        assert.equal(frames.at(-1)?.data.statusUpdate.status.state, "TASK_STATE_CANCELED");
      }
      for (const node of [first, second, third]) {
        const { result } = await node.call("GetTask", { id });
        assert.deepEqual(result.status, canceled.result.status);
      }
    });
  }
});
