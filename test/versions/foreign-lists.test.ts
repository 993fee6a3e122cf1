import assert from "node:assert/strict";
import { json } from "node:stream/consumers";
import { fromBinary, fromJson, toBinary, toJson } from "@bufbuild/protobuf";
import * as grpc from "@grpc/grpc-js";
import { type TestContext, test } from "vitest";
import { type ConnectOptions, connect } from "../../src/client/index.js";
import { loadService } from "../../src/grpc/service.js";
import { service } from "../../src/versions/v0.3/grpc.js";
import { cardOf } from "../client/scripted.js";
import { listenFor } from "../support/listen.js";

type Json = any;

/** A client of an agent at a URL, with one interface. */
function clientAt(
  url: string,
  { protocolBinding = "HTTP+JSON", protocolVersion = "0.3" } = {},
  more: ConnectOptions = {},
) {
  const card = cardOf({ supportedInterfaces: [{ url, protocolBinding, protocolVersion }] });
  return connect(card, { retry: false, ...more });
}

const hook = (id: string) => ({
  name: `tasks/t/pushNotificationConfigs/${id}`,
  pushNotificationConfig: { id, url: `https://${id}.example/` },
});

/** Pages of a list of webhooks, by token. Writers of protocol buffers omit an empty list. */
const pages: Readonly<Record<string, object>> = {
  "": { configs: [hook("a")], nextPageToken: "p2" },
  p2: { nextPageToken: "p3" },
  p3: { configs: [hook("b")] },
};

/** Agents of 0.3 with {@link pages}, by binding. They record the size and the token that they are asked for. */
const pagers: Readonly<Record<string, (t: TestContext, asked: unknown[]) => Promise<string>>> = {
  "HTTP+JSON": (t, asked) =>
    listenFor(t, ({ url }, response) => {
      const { pathname, searchParams } = new URL(url ?? "", "http://agent.example");
      assert.equal(pathname, "/v1/tasks/t/pushNotificationConfigs");
      asked.push(Object.fromEntries(searchParams));
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify(pages[searchParams.get("pageToken") ?? ""]));
    }),
  GRPC: async (t, asked) => {
    const { method } = await loadService(service);
    const { input, output } = method.listTaskPushNotificationConfig!;
    const list: grpc.MethodDefinition<Json, Json> = {
      path: "/a2a.v1.A2AService/ListTaskPushNotificationConfig",
      requestStream: false,
      responseStream: false,
      requestSerialize: (value) => Buffer.from(toBinary(input, fromJson(input, value))),
      requestDeserialize: (bytes) => toJson(input, fromBinary(input, bytes)),
      responseSerialize: (value) => Buffer.from(toBinary(output, fromJson(output, value))),
      responseDeserialize: (bytes) => toJson(output, fromBinary(output, bytes)),
    };
    const server = new grpc.Server();
    server.addService(
      { list },
      {
        list: ({ request: { parent, ...page } }: Json, done: grpc.sendUnaryData<Json>) => {
          assert.equal(parent, "tasks/t");
          asked.push(page);
          done(null, pages[page.pageToken ?? ""]);
        },
      },
    );
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    t.onTestFinished(() => server.forceShutdown());
    return `127.0.0.1:${port}`;
  },
};

for (const [protocolBinding, serve] of Object.entries(pagers)) {
  test(`PAGE-06: all pages of a list of webhooks are read, up to one without a token [${protocolBinding}]`, async (t) => {
    const asked: Json[] = [];
    const client = await clientAt(await serve(t, asked), { protocolBinding });
    const ids: string[] = [];
    for await (const { id } of client.pushConfigs("t").list()) ids.push(id ?? "");
    assert.deepEqual(ids, ["a", "b"]);
    const page = await client.listTaskPushNotificationConfigs({ taskId: "t", pageSize: 2, pageToken: "p2" });
    assert.deepEqual(page, { configs: [], nextPageToken: "p3" });
    assert.deepEqual(
      asked.map(({ pageSize = 0, pageToken = "" }) => [Number(pageSize), pageToken]),
      [
        [0, ""],
        [0, "p2"],
        [0, "p3"],
        [2, "p2"],
      ],
    );
  });
}

const working = { state: "working" };
const tolerated: [name: string, list: unknown[], ids: unknown[]][] = [
  ["a task without a status", [{ id: "t1", contextId: "c" }], ["t1"]],
  ["a status that is null", [{ id: "t1", contextId: "c", status: null }], ["t1"]],
  ["a time that is an object", [{ id: "t1", status: { ...working, timestamp: { toString: 1 } } }], ["t1"]],
  [
    "an id that is an object",
    [{ id: { toString: 1 }, contextId: "c", status: working, history: [{ role: "agent", parts: [] }] }],
    [{ toString: 1 }],
  ],
  ["a history that is a number", [{ id: "t1", contextId: "c", status: working, history: 7 }], ["t1"]],
  ["a number", [7], [undefined]],
  ["null", [null], [undefined]],
];
for (const [name, list, ids] of tolerated) {
  for (const [protocolVersion, protocolBinding] of [
    ["0.3", "HTTP+JSON"],
    ["0.1-flat", "JSONRPC"],
  ] as const) {
    test(`a lenient client warns of ${name} in a list of tasks, and returns the page [${protocolVersion}]`, async (t) => {
      const good = { id: "t2", contextId: "c", status: { ...working, timestamp: "2026-01-31T12:00:00Z" } };
      const result = [...list, good];
      const url = await listenFor(t, async (request, response) => {
        const body =
          protocolBinding === "JSONRPC"
            ? { jsonrpc: "2.0", id: ((await json(request)) as Json).id, result }
            : result;
        response.setHeader("Content-Type", "application/json").end(JSON.stringify(body));
      });
      const fields: unknown[] = [];
      const warn = ({ field }: { field?: string }) => void fields.push(field);
      const logger = { debug() {}, info() {}, error() {}, warn } as ConnectOptions["logger"];
      const client = await clientAt(url, { protocolBinding, protocolVersion }, { lenient: true, logger });
      const page = await client.listTasks({ historyLength: 1, includeArtifacts: true });
      assert.deepEqual(
        page.tasks.map((task: Json) => task?.id),
        ["t2", ...ids],
      );
      assert.match(String(fields), /^tasks\[0\]/);
      const { tasks } = await client.listTasks({ contextId: "c", status: "TASK_STATE_WORKING" });
      assert.equal(tasks[0]?.id, "t2");
      const strict = await clientAt(url, { protocolBinding, protocolVersion });
      await assert.rejects(strict.listTasks({}), { code: "INVALID_RESPONSE" });
    });
  }
}
