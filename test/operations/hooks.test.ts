import assert from "node:assert/strict";
import { addAbortListener, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, type TestContext, test, vi } from "vitest";
import { completed, inputRequired, working } from "../../src/index.js";
import { notebook } from "../server/scripted-agent.js";
import { type Peer, plainCard, serveFor, text } from "../support/peer.js";
import { failures, hangs } from "./failures.js";
import { deciding, type Hook, told } from "./hooks.js";

/** What would have ended the process. */
const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);

beforeAll(() => void process.on("unhandledRejection", note).on("uncaughtException", note));
afterAll(() => void process.off("unhandledRejection", note).off("uncaughtException", note));

/** A rejection that nothing takes is reported after the turn in which it came. */
async function assertNothingUnhandled(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(unhandled.splice(0).length, 0);
}

/** Sends a message that is answered when its executor works, and cancels the task. */
async function cancelOnceWorking({ call }: Pick<Peer, "call">): Promise<void> {
  const { result } = await call("SendMessage", text("go", { configuration: { returnImmediately: true } }));
  await call("CancelTask", { id: result.task.id });
}

/** Serves an agent with a hook in its place, and makes the call that the hook belongs to. */
async function reach(t: TestContext, hook: Hook, fail: () => unknown, hookTime = 30) {
  const notes = notebook();
  const agent = {
    card: hook.card ?? plainCard,
    async *execute() {
      yield inputRequired("more?");
    },
    ...hook.agent?.(fail),
  };
  const options = { logger: notes.logger, limits: { hookTime }, ...hook.options?.(fail) };
  const server = await serveFor(t, agent, options);
  const sent = await server.rpc.call("SendMessage", text("go"), hook.headers);
  const { operation } = hook;
  const params = operation === "CancelTask" ? { id: sent.result?.task.id } : {};
  const answer = operation ? await server.rpc.call(operation, params, hook.headers) : sent;
  assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  await server.close(1);
  await assertNothingUnhandled();
  const lines = notes.entries.filter(
    ({ level, text }) => level !== "debug" && !text.startsWith("Agent card"),
  );
  return { answer, lines };
}

for (const [name, hook] of Object.entries(told)) {
  test(`a hook that is told of something may fail in any way: ${name}`, async (t) => {
    const { answer: sound } = await reach(
      t,
      { ...hook, options: () => hook.options?.(() => undefined) ?? {} },
      hangs,
    );
    for (const [way, fail] of Object.entries(failures)) {
      const { answer, lines } = await reach(t, hook, fail);
      assert.equal(answer.error, sound.error, way);
      assert.equal(answer.result?.task.status.state, sound.result?.task.status.state, way);
      assert.ok(
        lines.some(({ level, facts }) => level === "error" && "err" in facts),
        `${way}: nothing is logged`,
      );
    }
    assert.equal((await reach(t, hook, hangs, 0.05)).answer.error, sound.error);
  });
}

for (const [name, hook] of Object.entries(deciding)) {
  test(`a hook that decides refuses when it fails, in any way, and writes one line: ${name}`, async (t) => {
    for (const [way, fail] of Object.entries(failures)) {
      const { answer, lines } = await reach(t, hook, fail);
      assert.ok(answer.error !== undefined, `${way}: let in`);
      assert.equal(lines.length, 1, `${way}: ${JSON.stringify(lines)}`);
    }
  });
}

for (const [name, hook] of Object.entries(deciding).filter(([name]) => name !== "interceptors")) {
  test(`a hook that decides refuses when it does not answer in time: ${name}`, async (t) => {
    const { answer, lines } = await reach(t, hook, hangs, 0.05);
    assert.ok(answer.error !== undefined);
    assert.equal(lines.length, 1, JSON.stringify(lines));
  });
}

for (const level of ["debug", "info", "warn", "error"] as const) {
  test(`a logger may fail in any way: ${level}`, async (t) => {
    for (const fail of Object.values(failures)) {
      const { logger } = notebook();
      const agent = {
        card: plainCard,
        execute: () => {
          throw new Error("to be logged");
        },
      };
      const server = await serveFor(t, agent, { logger: { ...logger, [level]: fail } });
      const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
      for (let call = 0; call < 3; call += 1) {
        const { result } = await server.rpc.call("SendMessage", text("go"));
        assert.equal(result.task.status.state, "TASK_STATE_FAILED");
      }
      await server.close(1);
      await assertNothingUnhandled();
      // Servers of other files share the process, and may write lines of their own.
      const told = written.mock.calls.filter(([line]) => String(line).includes("the logger fails"));
      assert.equal(told.length, level === "error" || level === "debug" ? 1 : 0);
      written.mockRestore();
    }
  });
}

test("a listener of an executor's signal may fail in any way: it is logged, and the others are called", async (t) => {
  const notes = notebook();
  const heard: string[] = [];
  const fail = () => {
    throw new Error("listener");
  };
  const server = await serveFor(
    t,
    {
      card: plainCard,
      async *execute({ signal }) {
        const removed = () => void heard.push("removed");
        signal.addEventListener("abort", removed);
        signal.removeEventListener("abort", removed);
        signal.addEventListener("abort", fail, { once: true });
        signal.addEventListener("abort", { handleEvent: fail });
        signal.addEventListener("abort", async () => fail());
        signal.onabort = fail;
        signal.addEventListener("abort", () => void heard.push("heard"));
        yield working();
        await once(signal, "abort");
      },
    },
    { logger: notes.logger },
  );
  await cancelOnceWorking(server.rpc);
  await assertNothingUnhandled();
  assert.deepEqual(heard, ["heard"]);
  assert.equal(notes.texts("error").filter((one) => /listener of an executor's signal/.test(one)).length, 4);
});

test("an executor's signal aborts all that takes a signal", async (t) => {
  let [waiting, settled]: [number, Promise<unknown>] = [0, Promise.resolve()];
  const silent = createServer(() => {
    waiting += 1;
    silent.emit(`request ${waiting}`);
  }).listen(0, "127.0.0.1");
  await once(silent, "listening");
  t.onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const server = await serveFor(t, {
    card: plainCard,
    async *execute({ signal }) {
      assert.ok(signal instanceof AbortSignal);
      const reached = once(silent, "request 3");
      const waits: Record<string, Promise<unknown>> = {
        fetch: fetch(url, { signal }),
        "fetch of a request": fetch(new Request(url, { signal })),
        "AbortSignal.any": fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(60_000)]) }),
        "timers/promises": setTimeout(60_000, undefined, { signal }),
        "events.once": once(silent, "close", { signal }),
        addAbortListener: new Promise((_, reject) => addAbortListener(signal, () => reject(signal.reason))),
      };
      const ends = Object.entries(waits).map(async ([name, wait]) => [
        name,
        await wait.catch((error: Error) => error.name),
      ]);
      settled = Promise.all(ends).then(Object.fromEntries);
      await reached;
      yield working();
      await settled;
    },
  });
  await cancelOnceWorking(server.rpc);
  assert.deepEqual(await settled, {
    fetch: "AbortError",
    "fetch of a request": "AbortError",
    "AbortSignal.any": "AbortError",
    "timers/promises": "AbortError",
    "events.once": "AbortError",
    addAbortListener: "AbortError",
  });
  await assertNothingUnhandled();
});

for (const end of ["canceled", "completed"] as const) {
  test(`an executor may leave the message that it has asked for, when its task is ${end}`, async (t) => {
    const server = await serveFor(t, {
      card: plainCard,
      async *execute({ nextMessage, signal }) {
        void nextMessage();
        yield working();
        if (end === "canceled") await once(signal, "abort");
        else yield completed();
      },
    });
    const configuration = { returnImmediately: end === "canceled" };
    const { result } = await server.rpc.call("SendMessage", text("go", { configuration }));
    if (end === "canceled") await server.rpc.call("CancelTask", { id: result.task.id });
    await server.close(1);
    await assertNothingUnhandled();
  });
}

test("an interceptor may leave what it proceeds to, which then fails", async (t) => {
  const server = await serveFor(
    t,
    { card: plainCard, execute: () => inputRequired("never") as never },
    {
      interceptors: [
        async (_, proceed) => {
          void proceed();
          throw new Error("planted");
        },
      ],
    },
  );
  assert.equal((await server.rpc.call("GetTask", { id: "none" })).error, "INTERNAL_ERROR");
  await assertNothingUnhandled();
});
