import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "vitest";
import { type ExecutionContext, inputRequired } from "../../src/index.js";
import { bearerTokens, type Limits } from "../../src/server/index.js";
import type { TaskStore } from "../../src/stores/index.js";
import { cardOf, schemes } from "../auth/card.js";
import { bearer } from "../auth/guarded.js";
import { CountingStore } from "../budget/counting-store.js";
import { allVersions } from "../support/all-versions.js";
import { onEachStore } from "../support/each-store.js";
import { plainCard, serveFor, text } from "../support/peer.js";
import { type More, type Way, ways } from "./ways.js";

type Json = any;

/** Longest name by default, in bytes. */
const LONGEST = 256;
/** As many bytes as an index of PostgreSQL does not take, and no compression helps. */
const TOO_LONG = randomBytes(3000).toString("base64url").slice(0, 3000);
/** Names as long as they may be, in characters of one, two, three and four bytes. */
const longest = (salt: string): string[] =>
  ["x", "é", "€", "🚀"].map((character) => {
    const room = LONGEST - salt.length;
    const filled = character.repeat(room / Buffer.byteLength(character));
    return `${salt}${filled}${"x".repeat(LONGEST - salt.length - Buffer.byteLength(filled))}`;
  });

const agent = {
  card: plainCard,
  idempotentSends: true,
  async *execute(_: ExecutionContext) {
    yield inputRequired("Which?");
  },
};

async function served(t: Parameters<typeof serveFor>[0], store: TaskStore, limits: Limits = {}) {
  const { url, close, rpc, rest } = await serveFor(t, agent, {
    store,
    limits,
    push: { allowHttp: true, allowPrivateNetworks: true },
    versions: allVersions,
  });
  const send = async (way: Way, more: More & { query?: string; headers?: Way["headers"] } = {}) => {
    const response = await fetch(url + way.path.send + (more.query ?? ""), {
      method: "POST",
      headers: { "Content-Type": "application/json", ...way.headers, ...more.headers },
      body: JSON.stringify(way.body("go", false, more)),
    });
    return { status: response.status, text: await response.text() };
  };
  return { send, rpc, rest, close, url };
}

/** Parameters of a send in which one name is another one, and the member that a refusal names. */
function naming(way: Way, name: string): Record<string, { more: Parameters<Sender>[1]; field: string }> {
  const { message, ...params } = way.body("go", false) as Json;
  const sent: Json = (params.params ?? { message, ...params }) as Json;
  const said = (members: object) => ({ more: { params: { message: { ...sent.message, ...members } } } });
  const hook = { id: name, url: "http://127.0.0.1:9/" };
  const common = {
    tenant: { more: { query: `?tenant=${encodeURIComponent(name)}` }, field: "tenant" },
    // Headers hold no other characters.
    ...(/^[\x20-\x7e]+$/.test(name) && {
      key: { more: { headers: { "Idempotency-Key": name } }, field: "Idempotency-Key" },
    }),
  };
  if (way.name.includes("0.1")) {
    return {
      ...common,
      task: { more: { params: { id: name } }, field: "message.taskId" },
      context: {
        more: { params: { [way.name.includes("flat") ? "contextId" : "sessionId"]: name } },
        field: "message.contextId",
      },
    };
  }
  const older = way.name.startsWith("0.3");
  const configuration = older ? { pushNotificationConfig: hook } : { taskPushNotificationConfig: hook };
  return {
    ...common,
    message: { ...said({ messageId: name }), field: "message.messageId" },
    context: { ...said({ contextId: name }), field: "message.contextId" },
    config: {
      more: { params: { configuration } },
      field: "configuration.taskPushNotificationConfig.id",
    },
  };
}

type Sender = Awaited<ReturnType<typeof served>>["send"];

onEachStore(
  "SEC-08: a name that is too long to be stored is refused by its member, in every version",
  async (store, t) => {
    const { send, rpc } = await served(t, store);
    for (const way of ways) {
      for (const name of [TOO_LONG, `${"é".repeat(LONGEST / 2)}x`]) {
        for (const [kind, { more, field }] of Object.entries(naming(way, name))) {
          const { status, text: answer } = await send(way, more);
          const about = `${way.name}, ${kind}: ${status} ${answer.slice(0, 300)}`;
          assert.match(answer, /-32602|INVALID_PARAMS|INVALID_ARGUMENT/, about);
          assert.ok(answer.includes(`${field} must have at most ${LONGEST} bytes`), about);
          assert.ok(!answer.includes(name), about);
        }
      }
    }
    assert.equal((await rpc.call("ListTasks", {})).result.totalSize, 0);
  },
);

onEachStore("SEC-08: names of 256 bytes are stored and found again", async (store, t) => {
  const { send, rpc } = await served(t, store);
  let made = 0;
  for (const [at, way] of ways.entries()) {
    for (const [index, name] of longest(`${at} `).entries()) {
      for (const [kind, { more }] of Object.entries(naming(way, name))) {
        const { status, text: answer } = await send(way, more);
        assert.ok(
          status === 200 && !answer.includes('"error"'),
          `${way.name}, ${kind}: ${answer.slice(0, 300)}`,
        );
        if (kind !== "tenant") made += 1;
      }
      if (index === 0) {
        const { result } = await rpc.call("ListTasks", { contextId: name });
        assert.equal(result.totalSize, 1, way.name);
      }
    }
  }
  assert.equal((await rpc.call("ListTasks", {})).result.totalSize, made);
});

onEachStore(
  "OP-GET-04, OP-LIST-09, OP-PUSH-12, OP-PUSH-19, TEN-08: looking up a name that is too long finds nothing",
  async (store, t) => {
    const { rpc, rest, url } = await served(t, store);
    const { result } = await rpc.call("SendMessage", text("go"));
    const { id } = result.task;
    const config = { taskId: id, id: "hook", url: "http://127.0.0.1:9/" };
    assert.ok((await rpc.call("CreateTaskPushNotificationConfig", config)).result);
    for (const peer of [rpc, rest]) {
      const missing: [operation: string, params: object][] = [
        ["GetTask", { id: TOO_LONG }],
        ["CancelTask", { id: TOO_LONG }],
        ["SubscribeToTask", { id: TOO_LONG }],
        ["SendMessage", text("on", { message: { taskId: TOO_LONG } })],
        ["CreateTaskPushNotificationConfig", { ...config, taskId: TOO_LONG }],
        ["GetTaskPushNotificationConfig", { taskId: TOO_LONG, id: "hook" }],
        ["GetTaskPushNotificationConfig", { taskId: id, id: TOO_LONG }],
        ["ListTaskPushNotificationConfigs", { taskId: TOO_LONG }],
        ["DeleteTaskPushNotificationConfig", { taskId: TOO_LONG, id: "hook" }],
        ["GetTask", { id, tenant: TOO_LONG }],
      ];
      for (const [operation, params] of missing) {
        const { error, metadata = {} } = await peer.call(operation, params);
        assert.equal(error, "TASK_NOT_FOUND", `${peer.binding} ${operation}`);
        assert.ok(!JSON.stringify(metadata).includes(TOO_LONG), `${peer.binding} ${operation}`);
      }
      const list = (await peer.call("ListTasks", { contextId: TOO_LONG })).result;
      assert.deepEqual([list.tasks ?? [], list.totalSize ?? 0, list.nextPageToken ?? ""], [[], 0, ""]);
      const deleted = await peer.call("DeleteTaskPushNotificationConfig", { taskId: id, id: TOO_LONG });
      assert.equal(deleted.error, undefined);
      const strange = await peer.call("ListTasks", { tenant: TOO_LONG });
      assert.deepEqual([strange.error, strange.fields], ["INVALID_PARAMS", ["tenant"]]);
      const configs = await peer.call("ListTaskPushNotificationConfigs", { taskId: id });
      assert.equal(configs.result.configs.length, 1);
    }
    for (const [method, version] of [
      ["tasks/get", "0.3"],
      ["tasks/get", ""],
      ["tasks/cancel", ""],
      ["tasks/resubscribe", ""],
      ["tasks/pushNotification/get", ""],
      ["tasks/pushNotificationConfig/list", "0.3"],
    ] as const) {
      const answer = await post(
        url,
        method,
        { id: TOO_LONG },
        version === "" ? {} : { "A2A-Version": version },
      );
      assert.ok(answer.includes("-32001") && !answer.includes(TOO_LONG), `${version} ${method}: ${answer}`);
    }
  },
);

test("SEC-08: nobody asks the store for a name that is too long", async (t) => {
  const store = new CountingStore();
  const { rpc, rest, url } = await served(t, store);
  store.take();
  for (const peer of [rpc, rest]) {
    for (const operation of ["GetTask", "CancelTask", "SubscribeToTask"]) {
      await peer.call(operation, { id: TOO_LONG });
    }
    await peer.call("ListTasks", { contextId: TOO_LONG });
    await peer.call("SendMessage", text("on", { message: { taskId: TOO_LONG } }));
    await peer.call("ListTaskPushNotificationConfigs", { taskId: TOO_LONG });
    await peer.call("ListTasks", { tenant: TOO_LONG });
  }
  for (const method of ["tasks/get", "tasks/resubscribe"]) await post(url, method, { id: TOO_LONG });
  assert.deepEqual(store.take(), {});
});

onEachStore(
  "SEC-08: what is stored under a longer name stays listed, paged and continued",
  async (store, t) => {
    const longName = () => randomBytes(600).toString("hex").slice(0, 1000);
    const context = longName();
    const earlier = await served(t, store, { name: 1000 });
    const draft = (id: string) => ({ id, message: { role: "user", parts: [{ type: "text", text: "go" }] } });
    for (const id of [longName(), longName()]) {
      assert.ok(!(await post(earlier.url, "tasks/send", draft(id))).includes('"error"'));
    }
    const begun = await earlier.rpc.call("SendMessage", text("go", { message: { contextId: context } }));
    const taskId = begun.result.task.id;
    await earlier.close();

    const { rpc, rest } = await served(t, store);
    const seen: string[] = [];
    for (let pageToken: string | undefined; pageToken !== ""; ) {
      const { result } = await rest.call("ListTasks", { pageSize: 1, ...(pageToken && { pageToken }) });
      seen.push(...result.tasks.map((task: Json) => task.id));
      pageToken = result.nextPageToken ?? "";
    }
    assert.equal(new Set(seen).size, 3);
    for (const message of [{ taskId }, { taskId, contextId: context }]) {
      const { result } = await rpc.call("SendMessage", text("on", { message }));
      assert.equal(result.task.contextId, context);
    }
    const refused = await rpc.call("SendMessage", text("new", { message: { contextId: context } }));
    assert.deepEqual(refused.fields, ["message.contextId"]);
  },
);

onEachStore("SEC-08: a caller whose identity is too long to be stored is refused", async (store, t) => {
  const { rpc, rest } = await serveFor(
    t,
    { ...agent, card: { ...plainCard, ...cardOf({ bearer: schemes.bearer }, ["bearer"]) } },
    { store, auth: { verifiers: { bearer: bearerTokens((token) => ({ id: token })) } } },
  );
  for (const peer of [rpc, rest]) {
    const longestId = randomBytes(1024).toString("hex");
    assert.ok((await peer.call("SendMessage", text("go"), bearer(longestId))).result);
    for (const operation of ["SendMessage", "ListTasks"]) {
      const { error } = await peer.call(operation, text("go"), bearer(`${longestId}x`));
      assert.equal(error, "PERMISSION_DENIED", operation);
    }
  }
});

/** Calls a method of an older version; the text of the answer. */
async function post(url: string, method: string, params: object, headers: Way["headers"] = {}) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return response.text();
}
