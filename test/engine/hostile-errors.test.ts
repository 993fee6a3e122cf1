import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { A2AError, working } from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { NotingLogger } from "../push/desk.js";
import { serveExecutor, text } from "../support/peer.js";
import { started } from "./two-nodes.js";

const thrower = () => {
  throw new Error("an accessor threw");
};

/** An error of which one member throws when it is read. */
function unreadable(member: string): Error {
  return Object.defineProperty(new Error("disk on fire"), member, { get: thrower, enumerable: true });
}

/** An error for callers of which one member throws when it is read. */
function unreadableRefusal(member: keyof A2AError): A2AError {
  return Object.defineProperty(new A2AError("INVALID_PARAMS", "No such city"), member, { get: thrower });
}

/** Values that throw when they are looked at, each in another way. */
const hostile: Readonly<Record<string, unknown>> = {
  "an error whose message throws": unreadable("message"),
  "an error whose stack throws": unreadable("stack"),
  "an error whose cause throws": unreadable("cause"),
  "an error whose name throws": unreadable("name"),
  "an error whose code throws": unreadable("code"),
  "an error whose message is no text": Object.assign(new Error(), { message: { toString: thrower } }),
  "an A2AError of another copy whose code throws": Object.defineProperty(
    { [Symbol.for("a2a-parley.error")]: true },
    "code",
    { get: thrower },
  ),
  "a proxy that throws whatever is asked": new Proxy(
    {},
    { get: thrower, has: thrower, getPrototypeOf: thrower, ownKeys: thrower },
  ),
  "a proxy of an error that has no keys": new Proxy(new Error("disk on fire"), { ownKeys: thrower }),
  "an object without a prototype": Object.create(null),
  "a proxy of an A2AError that throws when a member is read": new Proxy(new A2AError("TASK_NOT_FOUND"), {
    get: thrower,
  }),
  "an A2AError whose code throws": unreadableRefusal("code"),
  "an A2AError whose cause throws": unreadableRefusal("cause"),
  "an A2AError whose message throws": unreadableRefusal("message"),
  "an A2AError whose httpStatus throws": unreadableRefusal("httpStatus"),
  "an A2AError whose code is unknown": Object.assign(new A2AError("INVALID_PARAMS"), { code: "NO_CODE" }),
  "an A2AError whose message is no text": Object.assign(new A2AError("INVALID_PARAMS"), {
    message: { toString: thrower },
  }),
};

for (const [what, value] of Object.entries(hostile)) {
  for (const when of ["before its first update", "after its first update"]) {
    test(`an executor that throws ${what} ${when} fails its task at once, and the log says so`, async (t) => {
      const logger = new NotingLogger();
      const { rpc } = await serveExecutor(
        t,
        async function* () {
          if (when.startsWith("after")) yield working();
          throw value;
        },
        { logger },
      );
      const { result } = await rpc.call("SendMessage", text("go"), { Authorization: "Bearer secret-token" });
      assert.equal(result.task.status.state, "TASK_STATE_FAILED");
      const lines = logger.lines.filter(({ level }) => level === "error");
      assert.deepEqual(
        lines.map(({ text }) => text),
        ["The executor failed"],
      );
      // What is logged can be written by any logger.
      for (const { facts } of lines)
        assert.ok(JSON.stringify([facts, facts.err.stack, facts.err.message, facts.err.cause?.stack]));
    });
  }

  test(`an error for the caller can be made of ${what}`, () => {
    const error = A2AError.from(value);
    assert.equal(error.code, "INTERNAL_ERROR");
    assert.equal(error.cause, value);
  });
}

test("OP-SEND-17: an INTERNAL_ERROR of another copy of the package keeps its text for the caller", async (t) => {
  vi.resetModules();
  const other = await import("../../src/index.js");
  assert.notEqual(other.A2AError, A2AError);
  for (const { A2AError: Thrown } of [{ A2AError }, other]) {
    const { rpc } = await serveExecutor(t, () => {
      throw new Thrown("INTERNAL_ERROR", "The model is down");
    });
    const { error, message } = await rpc.call("SendMessage", text("go"));
    assert.deepEqual([error, message], ["INTERNAL_ERROR", "The model is down"]);
  }
});

test("an agent whose cancel hook throws what cannot be read refuses the cancellation", async (t) => {
  const { rpc } = await serveExecutor(
    t,
    async function* ({ nextMessage }) {
      yield working();
      await nextMessage();
    },
    { store: new MemoryStore() },
    {
      cancel() {
        throw hostile["a proxy that throws whatever is asked"];
      },
    },
  );
  const { result } = await rpc.call("SendMessage", text("go", started));
  assert.equal((await rpc.call("CancelTask", { id: result.task.id })).error, "TASK_NOT_CANCELABLE");
});
