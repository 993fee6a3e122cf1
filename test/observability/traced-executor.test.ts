import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { type AgentDefinition, artifact, completed, type Update, working } from "../../src/index.js";
import { recording } from "../operations/recording.js";
import { gate } from "../support/both.js";
import { serveExecutor, text } from "../support/peer.js";

/** The optional methods of an iterator that a test's executor has. */
type Optional = readonly ("throw" | "return")[];

const kinds: readonly Optional[] = [[], ["return"], ["throw", "return"]];

/** An executor that returns an iterable of its own making, and the number of times that it was told to clean up. */
function iterated(methods: Optional, updates: () => AsyncGenerator<Update, undefined>) {
  const seen = { cleanups: 0 };
  const execute = () => ({
    [Symbol.asyncIterator]() {
      const generator = (async function* () {
        try {
          return yield* updates();
        } finally {
          seen.cleanups += 1;
        }
      })();
      const iterator: AsyncIterator<Update, undefined> = { next: () => generator.next() };
      if (methods.includes("return")) iterator.return = () => generator.return(undefined);
      if (methods.includes("throw")) iterator.throw = (error) => generator.throw(error);
      return iterator;
    },
  });
  return { seen, execute: execute as AgentDefinition["execute"] };
}

/** Serves an executor with telemetry and without. */
async function servedTwice(t: TestContext, execute: AgentDefinition["execute"]) {
  const record = recording();
  const { telemetry } = record;
  return {
    record,
    servers: [await serveExecutor(t, execute), await serveExecutor(t, execute, { telemetry })] as const,
  };
}

for (const methods of kinds) {
  const having = methods.length === 0 ? "neither throw nor return" : methods.join(" and ");

  test(`SEC-17: a refused update ends the span as failed, and the iterator is told, with ${having}`, async (t) => {
    const { seen, execute } = iterated(methods, async function* () {
      yield working();
      yield artifact().data(1n);
      return undefined;
    });
    const { record, servers } = await servedTwice(t, execute);
    for (const { rpc } of servers) {
      const { result } = await rpc.call("SendMessage", text("go"));
      assert.equal(result.task.status.state, "TASK_STATE_FAILED");
    }
    const span = record.named("a2a.execution");
    assert.equal(span.attributes["error.type"], "EXECUTOR_FAILED");
    assert.equal(seen.cleanups, methods.length === 0 ? 0 : 2);
  });

  test(`SEC-17: a dropped update ends the span, and the iterator is told, with ${having}`, async (t) => {
    const { open, opened } = gate();
    const { seen, execute } = iterated(methods, async function* () {
      yield working();
      await opened;
      yield completed();
      return undefined;
    });
    const { record, servers } = await servedTwice(t, execute);
    for (const { rpc } of servers) {
      const started = { configuration: { returnImmediately: true } };
      const { result } = await rpc.call("SendMessage", text("go", started));
      await rpc.call("CancelTask", { id: result.task.id });
    }
    open();
    for (const { close } of servers) await close();
    const span = record.named("a2a.execution");
    assert.equal(span.attributes["error.type"], undefined);
    assert.equal(seen.cleanups, methods.length === 0 ? 0 : 2);
  });
}
