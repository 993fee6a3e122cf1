import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { setMaxListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { test } from "vitest";
import { systemClock } from "../../src/async/clock.js";
import { silent } from "../../src/protocol/logger.js";
import { Sender } from "../../src/push/sender.js";
import { Signer } from "../../src/push/signer.js";
import { UrlGuard } from "../../src/push/url-guard/url-guard.js";
import type { PushRecord } from "../../src/stores/push-store.js";
import { loadCodecs } from "../../src/versions/codecs.js";
import { created } from "../task-log/entries.js";
import { canary } from "./canary.js";
import { scope } from "./desk.js";

const record = (url: string): PushRecord => ({
  ...{ scope, version: "1.0", place: 1, revision: 1 },
  config: { id: "mine", taskId: "task-1", url },
  cursor: { delivered: 0, failures: 0, due: 0, state: "open" },
});

test("the reason of an aborted attempt is the name of its error, not the number that a DOMException has as its code", async (t) => {
  const guard = new UrlGuard();
  t.onTestFinished(() => guard.close());
  const taskOf = async () => undefined;
  const sender = new Sender({
    ...{ guard, codecs: new Map(), taskOf, timeout: 1000, clock: systemClock, logger: silent },
  });
  const entry = { ...created(), generation: 1 };
  const outcome = await sender.send(record("https://webhook.example/"), entry, {
    signal: AbortSignal.abort(),
  });
  assert.deepEqual(outcome, { result: "retry", reason: "The webhook could not be called (AbortError)" });
});

test("signed notifications in flight keep no copy of their text on the heap", async (t) => {
  const COUNT = 32;
  const MIB = 2 ** 20;
  let allArrived: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => {
    allArrived = resolve;
  });
  const server = await canary(t, () => {
    if (server.requests.length === COUNT) allArrived();
  });
  const guard = new UrlGuard({ allowHttp: true, allowPrivateNetworks: true });
  t.onTestFinished(() => guard.close());
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const sender = new Sender({
    ...{ guard, taskOf: async () => undefined, timeout: 60_000, clock: systemClock, logger: silent },
    codecs: await loadCodecs((version) => version === "1.0"),
    signer: new Signer({
      issuer: "https://agent.example",
      keys: [{ key: privateKey, kid: "one", alg: "ES256" }],
    }),
  });
  const artifact = { artifactId: "a", parts: [{ text: "x".repeat(MIB) }] };
  /** Each notification has an event of its own, because the codec keeps the text of an event that it has encoded. */
  const entry = () => ({
    event: { artifactUpdate: { taskId: "task-1", contextId: "c", artifact } },
    generation: 1,
  });
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  const stopped = new AbortController();
  const { signal } = stopped;
  setMaxListeners(0, signal);
  const hook = record(`http://127.0.0.1:${server.port}/`);
  const outcomes = Array.from({ length: COUNT }, () => sender.send(hook, entry(), { signal }));
  await arrived;
  collect();
  const grown = process.memoryUsage().heapUsed - before;
  stopped.abort();
  await Promise.all(outcomes);
  assert.ok(grown < (COUNT / 2) * MIB, `${grown} bytes more are held`);
});
