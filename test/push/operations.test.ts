import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { completed, inputRequired, working } from "../../src/index.js";
import type { PushOptions } from "../../src/push/options.js";
import type { ServeOptions } from "../../src/server/index.js";
import { type Peer, serveExecutor, text } from "../support/peer.js";

const CREATE = "CreateTaskPushNotificationConfig";
const GET = "GetTaskPushNotificationConfig";
const LIST = "ListTaskPushNotificationConfigs";
const DELETE = "DeleteTaskPushNotificationConfig";

const url = "https://hooks.example/a";
const unresolved = { resolve: () => Promise.reject(new Error("there is no network here")) };

/** A test of an agent that sends push notifications, over each binding; `task` makes a task that waits for input. */
function onBoth(
  name: string,
  run: (peer: Peer, task: (words?: string) => Promise<string>, t: TestContext) => Promise<void>,
  push: PushOptions = {},
  options: ServeOptions = {},
): void {
  for (const binding of ["rpc", "rest"] as const) {
    test(`${name} [${binding}]`, async (t) => {
      const server = await serveExecutor(
        t,
        async function* ({ text }) {
          yield working();
          yield text === "done" ? completed() : inputRequired("More?");
        },
        { push: { ...unresolved, ...push }, ...options },
      );
      const peer = server[binding];
      const task = async (words = "ask") => (await peer.call("SendMessage", text(words))).result.task.id;
      await run(peer, task, t);
    });
  }
}

const everyOperation = (taskId: string) =>
  [
    [CREATE, { taskId, url }],
    [GET, { taskId, id: "a" }],
    [LIST, { taskId }],
    [DELETE, { taskId, id: "a" }],
  ] as const;

for (const binding of ["rpc", "rest"] as const) {
  test(`OP-PUSH-01: without the capability every operation says so, whatever the task [${binding}]`, async (t) => {
    const server = await serveExecutor(t, async function* () {
      yield completed();
    });
    const { result } = await server[binding].call("SendMessage", text("x"));
    for (const taskId of [result.task.id, "unknown"]) {
      for (const [operation, params] of everyOperation(taskId)) {
        const { error } = await server[binding].call(operation, params);
        assert.equal(error, "PUSH_NOTIFICATION_NOT_SUPPORTED", operation);
      }
    }
  });
}

onBoth(
  "OP-PUSH-03, OP-PUSH-12, OP-PUSH-17, OP-PUSH-20: an unknown task is not found, by any operation",
  async (peer) => {
    for (const [operation, params] of everyOperation("unknown")) {
      assert.equal((await peer.call(operation, params)).error, "TASK_NOT_FOUND", operation);
    }
  },
);

onBoth(
  "OP-PUSH-02, OP-PUSH-11: a config comes back flat and whole, on creation and when it is read",
  async (peer, task) => {
    const taskId = await task();
    const config = { id: "mine", url, token: "t", authentication: { scheme: "Bearer", credentials: "c" } };
    const { result } = await peer.call(CREATE, { taskId, ...config });
    assert.deepEqual(result, { taskId, ...config });
    assert.deepEqual((await peer.call(GET, { taskId, id: "mine" })).result, { taskId, ...config });
  },
);

onBoth("OP-PUSH-04: two configs without id are two, each with an id of its own", async (peer, task) => {
  const taskId = await task();
  const [one, two] = [await peer.call(CREATE, { taskId, url }), await peer.call(CREATE, { taskId, url })];
  assert.ok(one.result.id && two.result.id && one.result.id !== two.result.id);
  const { result } = await peer.call(LIST, { taskId });
  assert.deepEqual(result, { configs: [one.result, two.result], nextPageToken: "" });
});

onBoth("OP-PUSH-05: a config with an id that exists takes the place of that one", async (peer, task) => {
  const taskId = await task();
  await peer.call(CREATE, { taskId, id: "a", url, token: "old" });
  const other = "https://hooks.example/other";
  assert.deepEqual((await peer.call(CREATE, { taskId, id: "a", url: other })).result, {
    taskId,
    id: "a",
    url: other,
  });
  assert.deepEqual((await peer.call(LIST, { taskId })).result.configs, [{ taskId, id: "a", url: other }]);
});

test("OP-PUSH-06: over JSON-RPC the task must be named", async (t) => {
  const { rpc } = await serveExecutor(
    t,
    async function* () {
      yield completed();
    },
    { push: unresolved },
  );
  const { error, fields } = await rpc.call(CREATE, { url });
  assert.deepEqual({ error, fields }, { error: "INVALID_PARAMS", fields: ["taskId"] });
});

test("OP-PUSH-06: over HTTP+JSON the task of the path counts, whatever the body says", async (t) => {
  const { rest, url: server } = await serveExecutor(
    t,
    async function* () {
      yield inputRequired("More?");
    },
    { push: unresolved },
  );
  const { result } = await rest.call("SendMessage", text("x"));
  const { id: taskId } = result.task;
  const response = await fetch(`${server}/tasks/${taskId}/pushNotificationConfigs`, {
    method: "POST",
    headers: { "Content-Type": "application/a2a+json", "A2A-Version": "1.0" },
    body: JSON.stringify({ url, taskId: "another" }),
  });
  assert.equal(response.status, 200);
  assert.equal(((await response.json()) as { taskId: string }).taskId, taskId);
});

onBoth(
  "OP-PUSH-07, SEC-04: a URL that is missing, relative or forbidden is refused by name, and nothing is stored",
  async (peer, task) => {
    const taskId = await task();
    const wrong = [
      undefined,
      "",
      "/hook",
      "hooks.example",
      "ftp://hooks.example/",
      "http://hooks.example/",
      "https://127.0.0.1/",
      "https://[::ffff:127.0.0.1]/",
      "https://2130706433/",
      "https://localhost/",
      "https://169.254.169.254/",
      "https://metadata.google.internal/",
      "https://user:pass@hooks.example/",
      "https://hooks.example/\r\nX: 1",
    ];
    for (const address of wrong) {
      const answer = await peer.call(CREATE, { taskId, ...(address !== undefined && { url: address }) });
      assert.deepEqual([answer.error, answer.fields], ["INVALID_PARAMS", ["url"]], `${address}`);
    }
    assert.deepEqual((await peer.call(LIST, { taskId })).result.configs, []);
  },
);

onBoth(
  "OP-PUSH-07, SEC-04: a name with a private address is refused by name",
  async (peer, task) => {
    const { error, fields } = await peer.call(CREATE, {
      taskId: await task(),
      url: "https://inward.example/",
    });
    assert.deepEqual({ error, fields }, { error: "INVALID_PARAMS", fields: ["url"] });
  },
  { resolve: async () => ["93.184.215.14", "10.0.0.1"] },
);

onBoth(
  "SEC-05: with an allow-list other hosts are refused",
  async (peer, task) => {
    const taskId = await task();
    assert.deepEqual((await peer.call(CREATE, { taskId, url: "https://other.example/" })).fields, ["url"]);
    assert.ok((await peer.call(CREATE, { taskId, url })).result);
  },
  { allowHosts: ["hooks.example"] },
);

onBoth(
  "OP-PUSH-08, SEC-15: what cannot be written into a header is refused by name, without being repeated",
  async (peer, task) => {
    const taskId = await task();
    const wrong: [field: string, config: object][] = [
      ["authentication.scheme", { authentication: { credentials: "c" } }],
      ["authentication.scheme", { authentication: { scheme: "" } }],
      ["authentication.scheme", { authentication: { scheme: "Bearer planted" } }],
      ["authentication.scheme", { authentication: { scheme: "Bearer\r\nX-planted: 1" } }],
      ["authentication.credentials", { authentication: { scheme: "Bearer", credentials: "planted\nX: 1" } }],
      ["authentication.credentials", { authentication: { scheme: "Bearer", credentials: " planted" } }],
      ["token", { token: "planted\u0000" }],
      ["token", { token: "planted\u00e9\u4e2d" }],
      ["token", { token: "p".repeat(5000) }],
      ["id", { id: "a\u0007" }],
      ["id", { id: "i".repeat(300) }],
    ];
    for (const [field, config] of wrong) {
      const answer = await peer.call(CREATE, { taskId, url, ...config });
      assert.deepEqual(
        [answer.error, answer.fields],
        ["INVALID_PARAMS", [field]],
        JSON.stringify(config).slice(0, 80),
      );
      assert.doesNotMatch(answer.message ?? "", /planted/);
    }
    assert.deepEqual((await peer.call(LIST, { taskId })).result.configs, []);
  },
);

onBoth("OP-PUSH-09: a finished task takes configs", async (peer, task) => {
  const taskId = await task("done");
  const { result } = await peer.call(CREATE, { taskId, id: "late", url });
  assert.deepEqual((await peer.call(LIST, { taskId })).result.configs, [result]);
});

onBoth("OP-PUSH-12, OP-PUSH-22: a config is found on its own task only", async (peer, task) => {
  const [taskId, other] = [await task(), await task()];
  await peer.call(CREATE, { taskId, id: "a", url });
  assert.equal((await peer.call(GET, { taskId, id: "b" })).error, "TASK_NOT_FOUND");
  assert.equal((await peer.call(GET, { taskId: other, id: "a" })).error, "TASK_NOT_FOUND");
  assert.deepEqual((await peer.call(LIST, { taskId: other })).result.configs, []);
  await peer.call(DELETE, { taskId: other, id: "a" });
  assert.ok((await peer.call(GET, { taskId, id: "a" })).result);
});

onBoth("OP-PUSH-13: secrets are shown to the caller", async (peer, task) => {
  const taskId = await task();
  const config = { taskId, id: "a", url, token: "t", authentication: { scheme: "Bearer", credentials: "c" } };
  await peer.call(CREATE, config);
  assert.deepEqual((await peer.call(GET, { taskId, id: "a" })).result, config);
});

onBoth(
  "OP-PUSH-13: with the switch secrets are masked whenever configs are read",
  async (peer, task) => {
    const taskId = await task();
    const config = {
      taskId,
      id: "a",
      url,
      token: "t",
      authentication: { scheme: "Bearer", credentials: "c" },
    };
    const masked = { ...config, token: "***", authentication: { scheme: "Bearer", credentials: "***" } };
    await peer.call(CREATE, config);
    await peer.call(CREATE, { taskId, id: "b", url });
    assert.deepEqual((await peer.call(GET, { taskId, id: "a" })).result, masked);
    assert.deepEqual((await peer.call(LIST, { taskId })).result.configs, [masked, { taskId, id: "b", url }]);
  },
  { maskSecrets: true },
);

onBoth(
  "OP-PUSH-14, OP-PUSH-16, OP-PUSH-17: a list has both members, also when it is empty",
  async (peer, task) => {
    const taskId = await task();
    assert.deepEqual((await peer.call(LIST, { taskId })).result, { configs: [], nextPageToken: "" });
  },
);

onBoth(
  "OP-PUSH-18, OP-PUSH-19, OP-PUSH-21, IDEM-05: a config can be deleted, more than once",
  async (peer, task) => {
    const taskId = await task();
    await peer.call(CREATE, { taskId, id: "a", url });
    for (const id of ["a", "a", "never"]) {
      const { result, response } = await peer.call(DELETE, { taskId, id });
      assert.equal(response.status, 200);
      assert.deepEqual(result, peer.binding === "JSONRPC" ? null : {});
    }
    assert.equal((await peer.call(GET, { taskId, id: "a" })).error, "TASK_NOT_FOUND");
    assert.deepEqual((await peer.call(LIST, { taskId })).result.configs, []);
  },
);

onBoth(
  "a task has no more configs than it may have, and says how many",
  async (peer, task) => {
    const taskId = await task();
    for (const id of ["a", "b"]) assert.ok((await peer.call(CREATE, { taskId, id, url })).result);
    const { error, message, response } = await peer.call(CREATE, { taskId, url });
    assert.equal(error, "RATE_LIMITED");
    assert.match(message ?? "", /at most 2 per task/);
    assert.equal(response.status, 429);
    assert.ok((await peer.call(CREATE, { taskId, id: "a", url })).result);
    await peer.call(DELETE, { taskId, id: "a" });
    assert.ok((await peer.call(CREATE, { taskId, url })).result);
  },
  { maxConfigs: 2 },
);
