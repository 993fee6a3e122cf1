import assert from "node:assert/strict";
import { test } from "vitest";
import { systemClock } from "../../src/async/clock.js";
import { silent } from "../../src/protocol/logger.js";
import { Sender } from "../../src/push/sender.js";
import { UrlGuard } from "../../src/push/url-guard/url-guard.js";
import type { PushRecord } from "../../src/stores/push-store.js";
import { created } from "../task-log/entries.js";
import { scope } from "./desk.js";

test("the reason of an aborted attempt is the name of its error, not the number that a DOMException has as its code", async (t) => {
  const guard = new UrlGuard();
  t.onTestFinished(() => guard.close());
  const taskOf = async () => undefined;
  const sender = new Sender({
    ...{ guard, codecs: new Map(), taskOf, timeout: 1000, clock: systemClock, logger: silent },
  });
  const record: PushRecord = {
    ...{ scope, version: "1.0", place: 1, revision: 1 },
    config: { id: "mine", taskId: "task-1", url: "https://webhook.example/" },
    cursor: { delivered: 0, failures: 0, due: 0, state: "open" },
  };
  const entry = { ...created(), generation: 1 };
  const outcome = await sender.send(record, entry, { signal: AbortSignal.abort() });
  assert.deepEqual(outcome, { result: "retry", reason: "The webhook could not be called (AbortError)" });
});
