import assert from "node:assert/strict";
import { runInNewContext } from "node:vm";
import { artifact, completed, type Update, UpdateRefused, working } from "../../src/index.js";
import { NotingLogger } from "../push/desk.js";
import { onEachStore } from "../support/each-store.js";
import { rpcPeer, serveExecutor, text } from "../support/peer.js";

const data = (value: unknown): Update => artifact({ artifactId: "a" }).data(value);
const cycle: { self?: object } = {};
cycle.self = { list: [cycle] };
const thrower = () => {
  throw new Error("no");
};
const hostile = new Proxy({}, { ownKeys: thrower });

/** Updates that JSON cannot write, or would write as something else, and what the executor is told about each. */
const unwritable: readonly (readonly [Update, RegExp])[] = [
  [data({ total: 10n }), /^artifactUpdate\.artifact\.parts\[0\]\.data\.total is a bigint/],
  [data(10n), /parts\[0\]\.data is a bigint/],
  [data(cycle), /data\.self\.list\[0\] contains itself/],
  [data({ toJSON: thrower }), /data\.toJSON is a function/],
  [
    data({
      get bad() {
        return thrower();
      },
    }),
    /data\.bad cannot be read/,
  ],
  [data({ a: [hostile] }), /data\.a\[0\] cannot be read/],
  [data([Symbol("s")]), /data\[0\] is a symbol/],
  [data([() => 1]), /data\[0\] is a function/],
  [data([1, undefined]), /data\[1\] is undefined/],
  // biome-ignore lint/suspicious/noSparseArray: holes are what is tested.
  [data([1, , 2]), /data\[1\] is undefined/],
  [data({ rate: Number.NaN }), /data\.rate is not a finite number/],
  [data([Number.NEGATIVE_INFINITY]), /data\[0\] is not a finite number/],
  [data(new Map([["a", 1]])), /parts\[0\]\.data is an instance of Map/],
  [data({ at: new Date(0) }), /data\.at is an instance of Date and not a plain object/],
  [data(new (class Money {})()), /data is an instance of Money/],
  [data(nested(501)), /is nested deeper than 500 levels$/],
  [
    { statusUpdate: { status: { state: "TASK_STATE_WORKING" }, metadata: { n: 1n } } },
    /^statusUpdate\.metadata\.n is/,
  ],
  [
    working({ parts: [{ text: "", metadata: { n: 1n } }] }),
    /^statusUpdate\.status\.message\.parts\[0\]\.metadata\.n /,
  ],
  [artifact({ metadata: { n: 1n } }).text(""), /^artifactUpdate\.artifact\.metadata\.n is/],
  [{ ...working(), further: 1n } as Update, /^further is a bigint/],
];

function nested(levels: number): object {
  let value = {};
  for (let level = 1; level < levels; level += 1) value = { value };
  return value;
}

onEachStore(
  "an update is stored as it was at its yield: what the executor changes afterwards, or reads differently, is not stored",
  async (store, t) => {
    const { rpc } = await serveExecutor(
      t,
      async function* () {
        const list: unknown[] = [{ count: 1 }];
        const metadata: Record<string, unknown> = { count: 1 };
        let reads = 0;
        const moody = {
          get count() {
            reads += 1;
            return reads === 1 ? 1 : BigInt(reads);
          },
        };
        const proto = JSON.parse('{"__proto__":{"count":1}}');
        const parts = [{ data: { list, moody, proto } }, { data: 1 }];
        const statusUpdate = { status: { state: "TASK_STATE_WORKING" as const }, metadata };
        yield { artifactUpdate: { artifact: { artifactId: "a", parts } } } as Update;
        list.push(2n, list);
        Object.assign(list[0] as object, { count: 10n });
        Object.assign(proto, { further: 10n });
        parts.pop();
        yield { statusUpdate } as Update;
        Object.assign(metadata, { count: 10n });
        // The same object again: each yield stores what it is then.
        Object.assign(metadata, { count: 2 });
        yield { statusUpdate } as Update;
        yield completed();
      },
      { store },
    );
    const { result } = await rpc.call("SendMessage", text("go"));
    assert.equal(result.task.status.state, "TASK_STATE_COMPLETED");
    assert.deepEqual(result.task.artifacts[0].parts, [
      { data: { list: [{ count: 1 }], moody: { count: 1 }, proto: JSON.parse('{"__proto__":{"count":1}}') } },
      { data: 1 },
    ]);
    assert.deepEqual(result.task.metadata, { count: 2 });
    const { result: page } = await rpc.call("ListTasks", { includeArtifacts: true });
    assert.equal(page.tasks.length, 1);
  },
);

/** Yields updates one after the other: each is refused, and the executor goes on and completes the task. */
async function refusesEach(
  updates: readonly (readonly [unknown, RegExp])[],
  ...[store, t]: Parameters<Parameters<typeof onEachStore>[1]>
): Promise<void> {
  const told: unknown[] = [];
  const { rpc } = await serveExecutor(
    t,
    async function* () {
      yield working();
      for (const [update] of updates) {
        try {
          yield update as Update;
          told.push(undefined);
        } catch (error) {
          told.push(error);
        }
      }
      yield completed();
    },
    { store },
  );
  const { result } = await rpc.call("SendMessage", text("go"));
  assert.equal(result.task.status.state, "TASK_STATE_COMPLETED");
  assert.equal(result.task.artifacts, undefined);
  for (const [index, [, expected]] of updates.entries()) {
    const error = told[index];
    assert.ok(error instanceof UpdateRefused, `${expected} was not refused`);
    assert.match(error.message, expected);
  }
}

onEachStore(
  "an update that JSON cannot write is refused at its yield, and the refusal names the member",
  (store, t) => refusesEach(unwritable, store, t),
);

/** Updates that lack an object, and what the executor is told about each. */
const incomplete: readonly (readonly [unknown, RegExp])[] = [
  [{ statusUpdate: {} }, /^statusUpdate\.status must be an object$/],
  [{ statusUpdate: { status: "done" } }, /^statusUpdate\.status must be an object$/],
  [{ statusUpdate: undefined }, /^statusUpdate must be an object$/],
  [{ artifactUpdate: null }, /^artifactUpdate must be an object$/],
  [{ message: "Done" }, /^message must be an object$/],
  [{ artifactUpdate: {} }, /artifact/],
];

onEachStore("an update that lacks an object is refused at its yield, and the refusal names it", (store, t) =>
  refusesEach(incomplete, store, t),
);

onEachStore(
  "what JSON can write is stored as it is: foreign objects, absent members, deep values, any text",
  async (store, t) => {
    const foreign: unknown = runInNewContext("({ list: [{ a: 1 }], none: null })");
    const value = {
      foreign,
      absent: undefined,
      bare: Object.assign(Object.create(null), { a: -0.5 }),
      deep: nested(490),
      odd: "\ud800 \u0000",
    };
    const { rpc } = await serveExecutor(
      t,
      async function* () {
        yield data(value);
        yield completed();
      },
      { store },
    );
    const { result } = await rpc.call("SendMessage", text("go"));
    const [part] = result.task.artifacts[0].parts;
    assert.deepEqual(part.data, JSON.parse(JSON.stringify({ ...value, odd: "\ufffd \u0000" })));
  },
);

const uncaught = {
  "a bigint": { total: 10n },
  "a cycle": cycle,
  "a toJSON that throws": { toJSON: thrower },
};
for (const [what, value] of Object.entries(uncaught)) {
  onEachStore(
    `${what} in an update fails the task when the executor does not catch the refusal`,
    async (store, t) => {
      const logger = new NotingLogger();
      const { url } = await serveExecutor(
        t,
        async function* () {
          yield working();
          yield data(value);
        },
        { store, logger, limits: { tasksPerPrincipal: 1 } },
      );
      const peer = rpcPeer(url);
      const { result } = await peer.call("SendMessage", text("go"));
      assert.equal(result.task.status.state, "TASK_STATE_FAILED");
      const [line] = logger.lines.filter(({ level }) => level === "error");
      assert.match(line?.facts.err.message, /^artifactUpdate\.artifact\.parts\[0\]\.data/);
      assert.equal((await peer.call("ListTasks", {})).result.tasks.length, 1);
      // The place of the first task is free again.
      assert.equal(
        (await peer.call("SendMessage", text("again"))).result.task.status.state,
        "TASK_STATE_FAILED",
      );
    },
  );
}
