import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "vitest";
import { inputRequired } from "../../src/index.js";
import { bearerTokens, type ServeOptions } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { cardOf, schemes } from "../auth/card.js";
import { bearer } from "../auth/guarded.js";
import { serveFor } from "../support/peer.js";

type Json = any;

const ann = bearer("token-of-ann");
const bob = bearer("token-of-bob");

/** A server of every version whose tasks wait for their callers, and what it answers over JSON-RPC. */
async function served(t: TestContext, options: ServeOptions = {}) {
  const { url } = await serveFor(
    t,
    {
      card: cardOf({ bearer: schemes.bearer }, ["bearer"]),
      async *execute() {
        yield inputRequired("Which?");
      },
    },
    {
      auth: {
        verifiers: { bearer: bearerTokens({ "token-of-ann": "ann", "token-of-bob": "bob" }) },
      },
      versions: ["1.0", "0.3", "0.1", "0.1-flat"],
      push: {},
      ...options,
    },
  );
  return async (method: string, params: object, headers: Record<string, string>) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { status } = response;
    return { status, type: response.headers.get("content-type"), text: await response.text() };
  };
}

/** Begins a task in each version; gives their ids. */
async function tasksOf(call: Awaited<ReturnType<typeof served>>, headers: Record<string, string>) {
  const begun: [method: string, params: object, version?: string][] = [
    ["tasks/send", { id: randomUUID(), message: { role: "user", parts: [{ type: "text", text: "go" }] } }],
    ["tasks/send", { id: randomUUID(), message: { role: "user", parts: [{ text: "go" }] } }, "1.0"],
    [
      "message/send",
      { message: { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "go" }] } },
      "0.3",
    ],
    ["SendMessage", { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "go" }] } }, "1.0"],
  ];
  const ids: string[] = [];
  for (const [method, params, version] of begun) {
    const { text } = await call(method, params, { ...headers, ...(version && { "A2A-Version": version }) });
    const { result }: Json = JSON.parse(text);
    ids.push((result.task ?? result).id);
  }
  return ids;
}

/** Methods that several versions have. */
const methods = [
  ...["tasks/get", "tasks/cancel", "tasks/resubscribe", "tasks/pushNotification/get"],
  ...["tasks/pushNotification/set", "tasks/pushNotification/list", "tasks/pushNotification/delete"],
  ...["tasks/pushNotificationConfig/get", "tasks/pushNotificationConfig/set"],
];

for (const [who, headers] of [
  ["another owner", bob],
  ["a caller without credentials", {}],
] as const) {
  test(`AUTHZ-04, OP-GET-04: ${who} who names no version is answered as if the tasks of others were not there`, async (t) => {
    const call = await served(t);
    const ids = await tasksOf(call, ann);
    const unknown = randomUUID();
    for (const method of methods) {
      for (const name of ["id", "taskId"]) {
        const ask = async (id: string) => {
          const { text, ...rest } = await call(method, { [name]: id }, headers);
          return { ...rest, text: text.replaceAll(id, "…") };
        };
        const expected = await ask(unknown);
        for (const id of ids) assert.deepEqual(await ask(id), expected, `${method} by ${name}`);
      }
    }
  });
}

test("VER-08, AUTHZ-04: each owner of a task by the same name is answered in the version of its own task", async (t) => {
  const call = await served(t);
  const id = "shared";
  const draft = { id, message: { role: "user", parts: [{ type: "text", text: "go" }] } };
  const flat = { id, message: { role: "user", parts: [{ text: "go" }] } };
  await call("tasks/send", draft, ann);
  await call("tasks/send", flat, { ...bob, "A2A-Version": "1.0" });
  const taskOf = async (headers: Record<string, string>) =>
    JSON.parse((await call("tasks/get", { id }, headers)).text).result;
  assert.ok("sessionId" in (await taskOf(ann)));
  assert.ok("contextId" in (await taskOf(bob)));
});

test("LEG-02: a follow-up in another version does not change the version of a task that another node created", async (t) => {
  const store = new MemoryStore();
  const [creating, continuing] = [await served(t, { store }), await served(t, { store })];
  for (const method of ["message/send", "message/stream"]) {
    const id = randomUUID();
    const draft = { id, message: { role: "user", parts: [{ type: "text", text: "go" }] } };
    await creating("tasks/send", draft, ann);
    const parts = [{ kind: "text", text: "on" }];
    const message = { kind: "message", messageId: randomUUID(), role: "user", parts, taskId: id };
    const { text } = await continuing(method, { message }, { ...ann, "A2A-Version": "0.3" });
    assert.ok(text.includes('"kind":"task"'), text);
    for (const call of [creating, continuing])
      assert.ok("sessionId" in JSON.parse((await call("tasks/get", { id }, ann)).text).result, method);
  }
});

for (const versions of [
  ["1.0", "0.3", "0.1-flat"],
  ["1.0", "0.1", "0.1-flat"],
] as const) {
  test(`LEG-02: a request that names no version is read in the dialect of its task, whatever its members show: ${versions}`, async (t) => {
    const call = await served(t, { versions });
    const message = { role: "user", parts: [{ type: "text", text: "go" }] };
    const flat = { role: "user", parts: [{ text: "go" }] };
    for (const [first, next, member] of [
      [message, flat, "sessionId"],
      [flat, message, "contextId"],
    ] as const) {
      const id = randomUUID();
      for (const message of [first, next]) {
        const { text } = await call("tasks/send", { id, message }, ann);
        assert.ok(member in JSON.parse(text).result, text);
      }
      assert.ok(member in JSON.parse((await call("tasks/get", { id }, ann)).text).result);
    }
  });
}
