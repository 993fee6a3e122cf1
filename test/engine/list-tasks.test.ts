import assert from "node:assert/strict";
import { test } from "vitest";
import { artifact, completed, inputRequired, working } from "../../src/index.js";
import { onBoth, onJson } from "../support/both.js";
import { type Peer, serveExecutor, text } from "../support/peer.js";

const asks = async function* ({ text }: { text: string }) {
  if (text === "ask") yield inputRequired("?");
  else {
    yield artifact().text("x");
    yield completed();
  }
};

async function make(
  peer: Peer,
  count: number,
  more: { message?: object } = {},
  words = "go",
): Promise<string[]> {
  const ids = [];
  for (let index = 0; index < count; index += 1) {
    ids.push((await peer.call("SendMessage", text(words, more))).result.task.id);
  }
  return ids;
}

onBoth(
  "OP-LIST-01, OP-LIST-02, OP-LIST-03, OP-LIST-15, OP-LIST-16, OP-LIST-19, PAGE-02, RPC-15: an empty list has all its members",
  asks,
  async (peer) => {
    assert.deepEqual((await peer.call("ListTasks")).result, {
      tasks: [],
      nextPageToken: "",
      pageSize: 50,
      totalSize: 0,
    });
    assert.deepEqual((await peer.call("ListTasks", {})).result, {
      tasks: [],
      nextPageToken: "",
      pageSize: 50,
      totalSize: 0,
    });
  },
);

onJson(
  "OP-LIST-04, OP-LIST-05: artifacts come only when they are asked for",
  async function* ({ text }) {
    if (text === "with") yield artifact().text("x");
    yield completed();
  },
  async (peer) => {
    await make(peer, 1, {}, "with");
    await make(peer, 1, {}, "without");
    for (const params of [{}, { includeArtifacts: false }]) {
      const { tasks } = (await peer.call("ListTasks", params)).result;
      assert.equal(
        tasks.some((task: object) => "artifacts" in task),
        false,
      );
    }
    const { tasks } = (await peer.call("ListTasks", { includeArtifacts: true })).result;
    assert.deepEqual(
      tasks.map((task: any) => task.artifacts.length),
      [0, 1],
    );
  },
);

onBoth(
  "OP-LIST-06, OP-LIST-07, PAGE-01, PAGE-05, PAGE-06, OP-LIST-03: pages give every task once, newest first, ties by id",
  asks,
  async (peer) => {
    const ids = await make(peer, 7);
    const seen: any[] = [];
    let pageToken = "";
    const sizes: number[] = [];
    do {
      const { result } = await peer.call("ListTasks", { pageSize: 3, ...(pageToken && { pageToken }) });
      assert.equal(result.totalSize, 7);
      assert.equal(result.pageSize, 3);
      sizes.push(result.tasks.length);
      seen.push(...result.tasks);
      pageToken = result.nextPageToken;
    } while (pageToken);
    assert.deepEqual(sizes, [3, 3, 1]);
    assert.deepEqual(seen.map((task) => task.id).sort(), [...ids].sort());
    const key = (task: any) => `${task.status.timestamp} ${task.id}`;
    assert.deepEqual(seen.map(key), seen.map(key).sort().reverse());
  },
);

onBoth(
  "OP-LIST-09, OP-LIST-10, OP-LIST-18, TURN-06: filters narrow, and together they narrow further",
  asks,
  async (peer) => {
    await make(peer, 2, { message: { contextId: "one" } });
    await make(peer, 1, { message: { contextId: "one" } }, "ask");
    await make(peer, 1, { message: { contextId: "two" } }, "ask");
    const total = async (params: object) => (await peer.call("ListTasks", params)).result.totalSize;
    assert.equal(await total({ contextId: "one" }), 3);
    assert.equal(await total({ contextId: "nobody" }), 0);
    assert.equal(await total({ status: "TASK_STATE_INPUT_REQUIRED" }), 2);
    assert.equal(await total({ status: "TASK_STATE_UNSPECIFIED" }), 4);
    assert.equal(await total({ status: 6 }), 2);
    assert.equal(await total({ status: "TASK_STATE_COMPLETED", contextId: "one" }), 2);
    assert.equal(await total({ status: "TASK_STATE_COMPLETED", contextId: "two" }), 0);
  },
);

onBoth(
  "OP-LIST-12, JSONV-13: statusTimestampAfter keeps tasks at or after that time, in any zone",
  asks,
  async (peer) => {
    await make(peer, 1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await make(peer, 1);
    const { tasks } = (await peer.call("ListTasks")).result;
    const stamp: string = tasks[0].status.timestamp;
    const total = async (statusTimestampAfter: string) =>
      (await peer.call("ListTasks", { statusTimestampAfter })).result.totalSize;
    assert.equal(await total(stamp), 1);
    assert.equal(await total(tasks[1].status.timestamp), 2);
    assert.equal(await total(new Date(Date.parse(stamp) + 1).toISOString()), 0);
    const inParis = `${new Date(Date.parse(stamp) + 3_600_000).toISOString().slice(0, -1)}+01:00`;
    assert.equal(await total(inParis), 1);
    // Of a fraction, more than milliseconds count.
    assert.equal(await total(stamp.replace("Z", "000001Z")), 0);
  },
);

onJson(
  "OP-LIST-11, OP-LIST-13, PAGE-03, PAGE-04, PAGE-07: what is out of range is refused by name",
  asks,
  async (peer) => {
    const cases: [string, unknown[]][] = [
      ["status", ["TASK_STATE_ASLEEP", "completed", 99]],
      ["statusTimestampAfter", ["yesterday", "2024-13-01T00:00:00Z", "2024-01-01"]],
      ["pageSize", [0, -1, 101, 1.5, "ten"]],
      ["pageToken", ["x", "AAAA", "%%%"]],
      ["historyLength", [-1]],
    ];
    for (const [name, values] of cases) {
      for (const value of values) {
        const { error, fields } = await peer.call("ListTasks", { [name]: value });
        assert.deepEqual([error, fields], ["INVALID_PARAMS", [name]], `${name}=${value}`);
      }
    }
    assert.equal((await peer.call("ListTasks", { pageSize: 100 })).result.pageSize, 100);
  },
);

onBoth(
  "PAGE-07, PAGE-08: a token is bound to its filters, but not to page size, history or artifacts",
  asks,
  async (peer) => {
    await make(peer, 4, { message: { contextId: "one" } });
    const { nextPageToken: pageToken } = (await peer.call("ListTasks", { contextId: "one", pageSize: 1 }))
      .result;
    for (const other of [{}, { contextId: "two" }, { contextId: "one", status: "TASK_STATE_COMPLETED" }]) {
      const { error, fields } = await peer.call("ListTasks", { ...other, pageToken });
      assert.deepEqual([error, fields], ["INVALID_PARAMS", ["pageToken"]]);
    }
    const damaged = `${pageToken.slice(0, -2)}${pageToken.endsWith("AA") ? "BB" : "AA"}`;
    assert.equal(
      (await peer.call("ListTasks", { contextId: "one", pageToken: damaged })).error,
      "INVALID_PARAMS",
    );
    const more = { contextId: "one", pageToken, pageSize: 2, historyLength: 0, includeArtifacts: true };
    assert.equal((await peer.call("ListTasks", more)).result.tasks.length, 2);
  },
);

test("PAGE-09, PAGE-11: while tasks are being updated no unchanged task is skipped or repeated over all pages", async (t) => {
  const { rpc } = await serveExecutor(t, async function* ({ task }) {
    yield working();
    yield task ? completed() : inputRequired("?");
  });
  const send = (more: { message?: object }) => rpc.call("SendMessage", text("go", more));
  const made = await Promise.all(Array.from({ length: 120 }, () => send({})));
  const ids: string[] = made.map(({ result }) => result.task.id);
  const unchanged = new Set(ids.filter((_, index) => index % 3 !== 0));
  const changing = ids.filter((_, index) => index % 3 === 0);
  const seen = new Map<string, number>();
  let pageToken = "";
  do {
    const { result } = await rpc.call("ListTasks", { pageSize: 10, ...(pageToken && { pageToken }) });
    for (const { id } of result.tasks) seen.set(id, (seen.get(id) ?? 0) + 1);
    pageToken = result.nextPageToken;
    await Promise.all(changing.splice(0, 4).map((taskId) => send({ message: { taskId } })));
  } while (pageToken);
  for (const id of unchanged) assert.equal(seen.get(id), 1);
});
