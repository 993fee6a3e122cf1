import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { type TestContext, test } from "vitest";
import { type ConnectOptions, connect } from "../../src/client/index.js";
import { cardOf } from "../client/scripted.js";

type Json = any;

/** An HTTP server of a test. */
async function listen(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A client of an agent at a URL, with one interface. */
function clientAt(
  url: string,
  { protocolBinding = "HTTP+JSON", protocolVersion = "0.3" } = {},
  more: ConnectOptions = {},
) {
  const card = cardOf({ supportedInterfaces: [{ url, protocolBinding, protocolVersion }] });
  return connect(card, { retry: false, ...more });
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
      const url = await listen(t, async (request, response) => {
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
