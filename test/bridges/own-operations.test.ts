import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { test } from "vitest";
import { checkSendRequest, pageOfTasks } from "../../src/bridges/index.js";
import type { ListTasksRequest, SendMessageRequest, Task, TaskState } from "../../src/index.js";
import { WebhookCaller } from "../../src/push/index.js";

const task = (
  id: string,
  second: number,
  state: TaskState = "TASK_STATE_COMPLETED",
  contextId = "c",
): Task => ({
  ...{ id, contextId, artifacts: [], history: [] },
  status: { state, timestamp: new Date(Date.UTC(2030, 0, 1, 0, 0, second)).toISOString() },
});

test("OP-LIST-01, PAGE-01: a page of tasks has the newest first, and its token leads to the rest, each once", () => {
  // Several with the same time: the position is the id then.
  const tasks = ["a", "b", "c", "d", "e"].map((id, index) => task(id, Math.floor(index / 3)));
  const seen: string[] = [];
  let pageToken = "";
  do {
    const page = pageOfTasks(tasks, { tenant: "", pageSize: 2, pageToken }, "alice");
    assert.deepEqual([page.pageSize, page.totalSize], [2, 5]);
    seen.push(...page.tasks.map(({ id }) => id));
    pageToken = page.nextPageToken;
  } while (pageToken !== "");
  assert.deepEqual(seen, ["e", "d", "c", "b", "a"]);
});

test("PAGE-07, PAGE-08: a page token is refused with another caller, with other filters, and when it is damaged", () => {
  const tasks = [task("a", 1), task("b", 2)];
  const { nextPageToken: pageToken } = pageOfTasks(tasks, { pageSize: 1 }, "alice");
  const refused = { code: "INVALID_PARAMS", message: /pageToken/ };
  assert.throws(() => pageOfTasks(tasks, { pageSize: 1, pageToken }, "bob"), refused);
  assert.throws(() => pageOfTasks(tasks, { statusTimestampAfter: "today" }, "alice"), {
    code: "INVALID_PARAMS",
  });
  assert.throws(() => pageOfTasks(tasks, { pageSize: 1, pageToken, contextId: "c" }, "alice"), refused);
  assert.throws(
    () => pageOfTasks(tasks, { pageSize: 1, pageToken: pageToken.slice(0, -1) }, "alice"),
    refused,
  );
  assert.equal(pageOfTasks(tasks, { pageSize: 9, pageToken }, "alice").tasks[0]?.id, "a");
});

test("OP-LIST-12: filters select by context, state and time, and artifacts are left out unless asked for", () => {
  const tasks = [task("a", 1), task("b", 2, "TASK_STATE_WORKING"), task("c", 3, "TASK_STATE_COMPLETED", "d")];
  const ids = (request: object) => pageOfTasks(tasks, request, "").tasks.map(({ id }) => id);
  assert.deepEqual(ids({ contextId: "d" }), ["c"]);
  assert.deepEqual(ids({ status: "TASK_STATE_COMPLETED" }), ["c", "a"]);
  assert.deepEqual(ids({ status: "TASK_STATE_UNSPECIFIED" }), ["c", "b", "a"]);
  // The time itself is included, in any form that RFC 3339 has.
  assert.deepEqual(ids({ statusTimestampAfter: "2030-01-01T01:00:02+01:00" }), ["c", "b"]);
  assert.ok(!("artifacts" in (pageOfTasks(tasks, {}, "").tasks[0] ?? {})));
  assert.deepEqual(pageOfTasks(tasks, { includeArtifacts: true, pageSize: 1 }, "").tasks[0]?.artifacts, []);
});

test("OP-LIST-07, OP-LIST-12: tasks without a timestamp come last, and statusTimestampAfter leaves them out", () => {
  const at = (id: string, timestamp?: string): Task => ({
    ...task(id, 0),
    status: { state: "TASK_STATE_COMPLETED", ...(timestamp !== undefined && { timestamp }) },
  });
  const tasks = [at("a"), at("b", "1969-12-31T23:59:59Z"), at("c"), at("d", "1970-01-01T00:00:00Z")];
  const list = (request: object) => pageOfTasks(tasks, request, "");
  const ids = (request: object) => list(request).tasks.map(({ id }) => id);
  assert.deepEqual(ids({}), ["d", "b", "c", "a"]);
  assert.deepEqual(ids({ statusTimestampAfter: "1970-01-01T00:00:00Z" }), ["d"]);
  assert.deepEqual(ids({ statusTimestampAfter: "1969-01-01T00:00:00Z" }), ["d", "b"]);
  const { nextPageToken: pageToken } = list({ pageSize: 3 });
  assert.deepEqual(ids({ pageSize: 3, pageToken }), ["a"]);
});

test("OP-LIST-06, OP-LIST-12, PAGE-01: a page compares times as instants, whatever their number of fraction digits", () => {
  const second = "2030-01-01T00:00:00";
  const fractions = [".000000001Z", ".1Z", ".12Z", ".1200001Z", ".123Z", ".124Z", ".9Z"];
  const tasks = ["Z", ...fractions].map(
    (fraction, index): Task => ({
      id: `${9 - index}`,
      status: { state: "TASK_STATE_COMPLETED", timestamp: second + fraction },
    }),
  );
  const ids = (request: ListTasksRequest) => pageOfTasks(tasks, request, "alice").tasks.map(({ id }) => id);
  assert.deepEqual(ids({}), ["2", "3", "4", "5", "6", "7", "8", "9"]);
  assert.deepEqual(ids({ statusTimestampAfter: `${second}.1200001Z` }), ["2", "3", "4", "5"]);
  assert.deepEqual(ids({ statusTimestampAfter: "2030-01-01T01:00:00.120000100+01:00" }), [
    "2",
    "3",
    "4",
    "5",
  ]);
  const { nextPageToken: pageToken } = pageOfTasks(tasks, { pageSize: 4 }, "alice");
  assert.deepEqual(ids({ pageSize: 4, pageToken }), ["6", "7", "8", "9"]);
});

test("OP-SEND-14, OP-SEND-20: a caller who speaks as the agent, and a webhook for another task, are refused", () => {
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }], taskId: "t" };
  const request = (more: object, webhook?: object) =>
    ({
      message: { ...message, ...more },
      ...(webhook && {
        configuration: { taskPushNotificationConfig: { url: "https://h.example/", ...webhook } },
      }),
    }) as unknown as SendMessageRequest;
  for (const good of [request({}), request({}, {}), request({}, { taskId: "t" })]) checkSendRequest(good);
  const named = (field: string) => ({ code: "INVALID_PARAMS", message: new RegExp(field) });
  assert.throws(() => checkSendRequest(request({ role: "ROLE_AGENT" })), named("message.role"));
  assert.throws(
    () => checkSendRequest(request({}, { taskId: "other" })),
    named("configuration.taskPushNotificationConfig.taskId"),
  );
});

test("PUSH-04, PUSH-06, SEC-04: webhooks are checked by the rules, and called with token and credentials", async (t) => {
  const receiver = createServer().listen(0, "127.0.0.1");
  t.onTestFinished(() => void receiver.close());
  await once(receiver, "listening");
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const strict = new WebhookCaller();
  for (const bad of [url, "https://10.0.0.1/", "ftp://h.example/"])
    await assert.rejects(strict.check({ url: bad }, "config."), {
      code: "INVALID_PARAMS",
      message: /config\.url/,
    });
  await assert.rejects(strict.check({ url: "https://93.184.216.34/", token: "a\nb" }), /token/);
  const event = {
    statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } },
  } as const;
  await assert.rejects(strict.call({ url }, event), { name: "UrlRefused" });

  const webhooks = new WebhookCaller({ allowHttp: true, allowPrivateNetworks: true });
  t.onTestFinished(() => webhooks.close());
  const config = { url, token: "a-token", authentication: { scheme: "Bearer", credentials: "s3cret" } };
  await webhooks.check(config);
  const called = webhooks.call(config, event);
  const [request, response] = await once(receiver, "request");
  assert.deepEqual(await json(request), event);
  const { authorization, "content-type": type } = request.headers;
  assert.deepEqual([authorization, type], ["Bearer s3cret", "application/a2a+json"]);
  for (const name of ["x-a2a-notification-token", "a2a-notification-token"])
    assert.equal(request.headers[name], "a-token");
  response.writeHead(202).end();
  assert.equal(await called, 202);
});
