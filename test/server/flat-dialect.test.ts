import assert from "node:assert/strict";
import { test } from "node:test";
import { type Executor, inputRequired } from "../../src/index.js";
import { serveExecutor } from "../support/peer.js";

type Json = any;

test("AUTHZ-04: the list of webhooks in the flat dialect is that of a task, or of all tasks of the caller", async (t) => {
  const execute: Executor = async function* () {
    yield inputRequired("which?");
  };
  const { url } = await serveExecutor(t, execute, {
    versions: ["1.0", "0.1x"],
    push: { allowHttp: true, allowPrivateNetworks: true },
  });
  const call = async (method: string, params: object, headers = {}): Promise<Json> => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error }: Json = await response.json();
    return result ?? error;
  };
  const ids: string[] = [];
  for (const port of [1, 2]) {
    const { id } = await call("tasks/send", { message: { role: "user", parts: [{ text: "go" }] } });
    ids.push(id);
    const pushNotificationConfig = { webhookUrl: `http://127.0.0.1:${port}/hook` };
    await call("tasks/pushNotification/set", { id, pushNotificationConfig });
  }
  const listed = async (params: object) =>
    (await call("tasks/pushNotification/list", params)).map(({ id, pushNotificationConfig }: Json) => [
      id,
      pushNotificationConfig.taskId,
      pushNotificationConfig.webhookUrl,
    ]);
  const rows = ids.map((id, index) => [id, id, `http://127.0.0.1:${index + 1}/hook`]);
  assert.deepEqual(await listed({}), rows);
  assert.deepEqual(await listed({ id: ids[1] }), rows.slice(1));
  assert.equal((await call("tasks/pushNotification/list", { id: "nobody" })).code, -32001);
  assert.equal(
    (await call("ListTaskPushNotificationConfigs", { taskId: "" }, { "A2A-Version": "1.0" })).code,
    -32602,
  );
});
