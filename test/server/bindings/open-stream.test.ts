import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { test } from "vitest";
import type { StreamResponse } from "../../../src/protocol/model.js";
import { gate } from "../../support/both.js";
import { drivers } from "./exchange.js";
import { scripted } from "./scripted-agent.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** A task, and its end when it is let; what was made is known by its weak references. */
class TwoEvents implements AsyncIterableIterator<StreamResponse> {
  readonly made: WeakRef<object>[] = [];
  readonly #end: Promise<void>;

  constructor(end: Promise<void>) {
    this.#end = end;
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  async next(): Promise<IteratorResult<StreamResponse>> {
    const isFirst = this.made.length === 0;
    if (!isFirst) await this.#end;
    if (this.made.length === 2) return { done: true, value: undefined };
    const status = { state: isFirst ? "TASK_STATE_WORKING" : "TASK_STATE_COMPLETED" } as const;
    const task = { id: "t", contextId: "c", status };
    this.made.push(new WeakRef(task));
    return { done: false, value: { task } };
  }
}

for (const driver of drivers) {
  test(`SEC-08: an open stream keeps neither its request nor its first event: ${driver.name}`, async () => {
    const { open, opened } = gate();
    const events = new TwoEvents(opened);
    const requests: WeakRef<object>[] = [];
    const agent = scripted({
      sendStreamingMessage(request) {
        requests.push(new WeakRef(request));
        return events;
      },
    });
    const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "go" }] };
    const answer = driver.call(agent, "SendStreamingMessage", { message });
    for (let turn = 0; turn < 100 && events.made.length === 0; turn += 1) await setImmediate();
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
    // The scripted agent keeps every request that it has seen.
    agent.seen.length = 0;
    collect();
    assert.equal(requests[0]?.deref(), undefined, "the request is kept while the stream is open");
    assert.equal(events.made[0]?.deref(), undefined, "the first event is kept while the stream is open");
    open();
    assert.equal((await answer).events?.length, 2);
  });
}
