import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { A2AError } from "../../src/protocol/errors.js";
import { created } from "../task-log/entries.js";
import { Desk, scope } from "./desk.js";

const url = "https://hooks.example/";

async function deskWith(t: TestContext, count: number) {
  const desk = new Desk(t, { resolve: async () => ["127.0.0.1"] });
  await desk.write("task-1", created());
  for (let index = 0; index < count; index += 1) {
    await desk.push.configs.create(scope, { taskId: "task-1", id: `c${index}`, url }, "1.0");
  }
  const list = async (pageSize?: number, pageToken?: string, taskId = "task-1") => {
    const request = { taskId, ...(pageSize !== undefined && { pageSize }), ...(pageToken && { pageToken }) };
    const { configs = [], nextPageToken = "" } = await desk.push.configs.list(scope, request);
    return { ids: configs.map(({ id }) => id), nextPageToken };
  };
  return { desk, list };
}

test("OP-PUSH-14, OP-PUSH-15, PAGE-13: without a size the list is whole, in the order of creation", async (t) => {
  const { list } = await deskWith(t, 12);
  const ids = Array.from({ length: 12 }, (_, index) => `c${index}`);
  for (const pageSize of [undefined, 0, 12, 100]) {
    assert.deepEqual(await list(pageSize), { ids, nextPageToken: "" });
  }
});

test("OP-PUSH-15, PAGE-01: pages go on where the one before ended, up to an empty token", async (t) => {
  const { list } = await deskWith(t, 5);
  const first = await list(2);
  const second = await list(2, first.nextPageToken);
  const third = await list(2, second.nextPageToken);
  assert.deepEqual([first.ids, second.ids, third.ids], [["c0", "c1"], ["c2", "c3"], ["c4"]]);
  assert.equal(third.nextPageToken, "");
  // The size may change on the way, and a token without a size gives the rest.
  assert.deepEqual(await list(undefined, first.nextPageToken), {
    ids: ["c2", "c3", "c4"],
    nextPageToken: "",
  });
});

test("PAGE-11: a config that is deleted between two pages moves nothing", async (t) => {
  const { desk, list } = await deskWith(t, 5);
  const first = await list(2);
  for (const id of ["c0", "c1"]) await desk.push.configs.delete(scope, { taskId: "task-1", id });
  assert.deepEqual((await list(2, first.nextPageToken)).ids, ["c2", "c3"]);
});

test("PAGE-07, PAGE-08, PAGE-10: a token that is damaged, or of another task or caller, is refused by name", async (t) => {
  const { desk, list } = await deskWith(t, 5);
  await desk.write("task-2", created({ id: "task-2" }));
  const { nextPageToken } = await list(2);
  const stranger = { ...scope, owner: "bob" };
  await desk.store.append(stranger, "task-1", 0, [created()]);
  const attempts = [
    () => list(2, "nonsense"),
    () => list(2, `${nextPageToken.slice(0, -2)}xx`),
    () => list(2, Buffer.from("x 1").toString("base64url")),
    () => list(2, nextPageToken, "task-2"),
    () => desk.push.configs.list(stranger, { taskId: "task-1", pageSize: 2, pageToken: nextPageToken }),
  ];
  for (const attempt of attempts) {
    await assert.rejects(attempt, (error) => {
      assert.ok(error instanceof A2AError);
      assert.equal(error.code, "INVALID_PARAMS");
      assert.equal(error.violations[0]?.field, "pageToken");
      return true;
    });
  }
});

test("a page of a negative size is refused by name", async (t) => {
  const { list } = await deskWith(t, 1);
  await assert.rejects(
    list(-1),
    (error) => error instanceof A2AError && error.violations[0]?.field === "pageSize",
  );
});
