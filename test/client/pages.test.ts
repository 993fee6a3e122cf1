import assert from "node:assert/strict";
import { test } from "vitest";
import { clientOf, result, type Seen, task } from "./scripted.js";

/** A client of an agent whose list has these pages: entries, and the token of the next page. */
function listing(pageAfter: (token: string, count: number) => readonly [entries: number, next: string]) {
  let count = 0;
  return clientOf((request: Seen) => {
    const { method, params } = request.json;
    const [entries, nextPageToken] = pageAfter(params.pageToken ?? "", count++);
    const configs = Array.from({ length: entries }, () => ({
      taskId: "t",
      id: "p",
      url: "https://h.example",
    }));
    const tasks = Array.from({ length: entries }, () => task);
    return result(request, {
      ...(method === "ListTasks" ? { tasks, pageSize: 1, totalSize: 1 } : { configs }),
      nextPageToken,
    });
  });
}

async function count(entries: AsyncIterable<unknown>): Promise<number> {
  let found = 0;
  for await (const _entry of entries) found += 1;
  return found;
}

const circular = { code: "INVALID_RESPONSE", message: /no end: expected a new page token/ };

for (const [name, all] of [
  ["tasks", (client) => client.iterateTasks()],
  ["push configurations", (client) => client.pushConfigs("t").list()],
] as const satisfies readonly (readonly [
  string,
  (client: Awaited<ReturnType<typeof clientOf>>["client"]) => AsyncIterable<unknown>,
])[]) {
  test(`PAGE-12: a list of ${name} that leads back to an earlier page ends with an error`, async () => {
    const same = await listing(() => [1, "a"]);
    await assert.rejects(count(all(same.client)), circular);
    assert.equal(same.seen.length, 2);
    const next: Record<string, string> = { "": "1", "1": "2", "2": "3", "3": "4", "4": "2" };
    const circle = await listing((token) => [1, next[token] ?? ""]);
    await assert.rejects(count(all(circle.client)), circular);
    assert.ok(circle.seen.length < 20);
  });

  test(`a list of ${name} with nothing on page after page ends with an error`, async () => {
    const { client, seen } = await listing((_, page) => [page === 3 ? 1 : 0, `${page}`]);
    await assert.rejects(count(all(client)), { code: "INVALID_RESPONSE", message: /pages in a row/ });
    assert.equal(seen.length, 1005);
  });

  test(`PAGE-06: a long list of ${name} with some empty pages is read to its end`, async () => {
    const { client } = await listing((_, page) => [page % 3, page === 299 ? "" : `${page}`]);
    assert.equal(await count(all(client)), 300);
  });
}

test("a list that is read from a page on does not lead back to it", async () => {
  const { client, seen } = await listing(() => [1, "from"]);
  await assert.rejects(count(client.iterateTasks({ pageToken: "from" })), circular);
  assert.equal(seen.length, 1);
});

test("a lenient client reads a list of another type as empty", async () => {
  const { client, seen } = await clientOf(
    (request: Seen) => result(request, { tasks: {}, configs: 5, pageSize: 1, totalSize: 1 }),
    { lenient: true },
  );
  assert.equal(await count(client.iterateTasks()), 0);
  assert.equal(await count(client.pushConfigs("t").list()), 0);
  assert.equal(seen.length, 2);
});
