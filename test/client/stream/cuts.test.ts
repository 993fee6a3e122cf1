import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "vitest";
import { connect, gapBefore, textOf } from "../../../src/client/index.js";
import { artifact, completed, type Executor } from "../../../src/index.js";
import type { RunningServer } from "../../../src/server/index.js";
import { testedBindings } from "../../support/both.js";
import { testedOptions } from "../../support/hosts.js";
import { serveExecutor } from "../../support/peer.js";
import { cuttingProxy, seeded } from "./cutting-proxy.js";

const EVENTS = 2000;
const CUTS = 50;

/** Yields numbers one by one, letting readers keep up. */
const counting: Executor = async function* () {
  const numbers = artifact({ name: "numbers" });
  for (let number = 1; number <= EVENTS - 2; number++) {
    if (number % 8 === 0) await setImmediate();
    yield numbers.text(`${number} `);
  }
  yield completed();
};

for (const binding of testedBindings) {
  test(`STR-15, OP-STREAM-14: ${CUTS} cuts at random lose, repeat and reorder nothing [${binding}]`, async (t) => {
    const random = seeded(20260101);
    const server = await serveExecutor(t, counting, testedOptions);
    const { url, grpcAddress } = server as Partial<RunningServer> & typeof server;
    const proxy = await cuttingProxy(t, binding === "GRPC" ? `http://${grpcAddress}` : url, {
      cuts: CUTS,
      bytes: () => 800 + Math.floor(random() * 14_000),
    });
    const { card } = await connect(url);
    const supportedInterfaces = card.supportedInterfaces.map((entry) => ({ ...entry, url: proxy.url }));
    const client = await connect(
      { ...card, supportedInterfaces },
      { bindings: [binding], resume: { first: 0.001 } },
    );

    const stream = client.stream("count");
    const seen: string[] = [];
    let events = 0;
    for await (const event of stream) {
      events += 1;
      assert.equal(gapBefore(event), undefined);
      if (event.artifactUpdate) seen.push(textOf(event.artifactUpdate.artifact));
    }

    assert.ok(proxy.cuts === CUTS, `the proxy cut ${proxy.cuts} times`);
    assert.equal(events, EVENTS);
    assert.deepEqual(
      seen,
      Array.from({ length: EVENTS - 2 }, (_, index) => `${index + 1} `),
    );
    const task = await client.getTask({ id: stream.task!.id });
    assert.deepEqual(stream.task?.artifacts, task.artifacts);
    assert.deepEqual(stream.task?.status, task.status);
  });
}
