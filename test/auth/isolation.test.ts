import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { completed, type ExecutionContext, working } from "../../src/index.js";
import { operations } from "../../src/protocol/operations.js";
import { type AuthOptions, apiKeys, bearerTokens } from "../../src/server/index.js";
import { type Answer, type Peer, plainCard, restPeer, rpcPeer, serveFor, text } from "../support/peer.js";
import { cardOf, schemes } from "./card.js";
import { bearer } from "./guarded.js";

type Headers = Record<string, string>;

/** Two ways of being alice or bob. */
const ways: Record<string, { card: object; auth: AuthOptions; alice: Headers; bob: Headers }> = {
  bearer: {
    card: cardOf({ bearer: schemes.bearer }, ["bearer"]),
    auth: { verifiers: { bearer: bearerTokens({ "alice-token": "alice", "bob-token": "bob" }) } },
    alice: bearer("alice-token"),
    bob: bearer("bob-token"),
  },
  "API key": {
    card: cardOf({ key: schemes.key }, ["key"]),
    auth: { verifiers: { key: apiKeys({ "alice-key": "alice", "bob-key": "bob" }) } },
    alice: { "X-API-Key": "alice-key" },
    bob: { "X-API-Key": "bob-key" },
  },
};

/** One caller: how to reach the agent, and as whom. */
interface Caller {
  readonly call: (operation: string, params?: object) => Promise<Answer>;
}

/** Nobody listens there. */
const hooks = "http://127.0.0.1:9";

/** A task with a webhook that alice has under way in tenant "red", and a stranger to it. */
interface Stage {
  readonly owner: Caller;
  readonly stranger: Caller;
  readonly taskId: string;
  readonly contextId: string;
  /** Ids of referenced tasks that the executor was shown, by run. */
  readonly shown: string[][];
}

async function stage(
  t: TestContext,
  way: keyof typeof ways,
  binding: string,
  other: "principal" | "tenant",
): Promise<Stage> {
  const { card, auth, alice, bob } = ways[way]!;
  const shown: string[][] = [];
  const { url } = await serveFor(
    t,
    {
      card: { ...plainCard, ...card },
      extendedCard: (_, { principal, tenant }) => ({ description: `For ${principal.id} in ${tenant}` }),
      async *execute({ referencedTasks, signal, text: words }: ExecutionContext) {
        shown.push(referencedTasks.map(({ id }) => id));
        yield working();
        if (words === "long") await new Promise((resolve) => signal.addEventListener("abort", resolve));
        yield completed();
      },
    },
    { auth, push: { allowHttp: true, allowPrivateNetworks: true, drain: 0 } },
  );
  const as = (headers: Headers, tenant: string): Caller => {
    const peer: Peer = binding === "JSON-RPC" ? rpcPeer(url) : restPeer(`${url}/${tenant}`);
    const place = binding === "JSON-RPC" ? { tenant } : {};
    return { call: (operation, params = {}) => peer.call(operation, { ...params, ...place }, headers) };
  };
  const owner = as(alice, "red");
  const configuration = { returnImmediately: true };
  const { task } = (await owner.call("SendMessage", text("long", { configuration }))).result;
  const hook = { taskId: task.id, id: "hook", url: `${hooks}/a` };
  assert.equal((await owner.call("CreateTaskPushNotificationConfig", hook)).error, undefined);
  return {
    owner,
    stranger: other === "principal" ? as(bob, "red") : as(alice, "blue"),
    taskId: task.id,
    contextId: task.contextId,
    shown,
  };
}

/** What a request for an operation on a task looks like. */
const requests: Record<string, (taskId: string, contextId: string) => object> = {
  SendMessage: (taskId) => text("more", { message: { taskId } }),
  SendStreamingMessage: (taskId, contextId) => text("more", { message: { taskId, contextId } }),
  GetTask: (id) => ({ id }),
  ListTasks: (_, contextId) => ({ contextId }),
  CancelTask: (id) => ({ id }),
  SubscribeToTask: (id) => ({ id }),
  CreateTaskPushNotificationConfig: (taskId) => ({ taskId, id: "mine", url: `${hooks}/b` }),
  GetTaskPushNotificationConfig: (taskId) => ({ taskId, id: "hook" }),
  ListTaskPushNotificationConfigs: (taskId) => ({ taskId }),
  DeleteTaskPushNotificationConfig: (taskId) => ({ taskId, id: "hook" }),
  GetExtendedAgentCard: () => ({}),
};

/** What a stranger may see who asks for something that is not about a task. */
const answers: Record<string, (answer: Answer, other: string) => void> = {
  ListTasks: ({ result }) =>
    assert.deepEqual(result, { tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 }),
  GetExtendedAgentCard: ({ result }, other) =>
    assert.equal(result.description, other === "principal" ? "For bob in red" : "For alice in blue"),
};

/** Everything in an answer but the ids that the request has put there. */
async function bareAnswer({ error, message, metadata, response }: Answer, taskId: string) {
  const headers = [...response.headers].filter(([name]) => name !== "date" && name !== "content-length");
  const facts = JSON.stringify({ error, message, metadata, status: response.status, headers });
  return facts.replaceAll(taskId, "<id>");
}

/** A stream that should not have opened would go on for ever. */
const limit = { timeout: 20_000 };

const ids = "AUTHZ-01, AUTHZ-02, AUTHZ-03, AUTHZ-04, ERR-19, TEN-09";

for (const way of Object.keys(ways)) {
  for (const binding of ["JSON-RPC", "HTTP+JSON"]) {
    for (const other of ["principal", "tenant"] as const) {
      for (const { name } of operations) {
        test(
          `${ids}: ${name} shows another ${other} nothing of a task [${way}, ${binding}]`,
          limit,
          async (t) => {
            const { owner, stranger, taskId, contextId } = await stage(t, way, binding, other);
            const request = requests[name];
            assert.ok(request, `no request for ${name}`);
            const answer = await stranger.call(name, request(taskId, contextId));
            if (answers[name]) {
              assert.equal(answer.error, undefined);
              answers[name](answer, other);
            } else {
              assert.equal(answer.error, "TASK_NOT_FOUND");
              const nowhere = "00000000-0000-4000-8000-000000000000";
              const missing = await stranger.call(name, request(nowhere, contextId));
              assert.equal(await bareAnswer(answer, taskId), await bareAnswer(missing, nowhere));
            }
            const { result } = await owner.call("GetTask", { id: taskId });
            assert.equal(result.status.state, "TASK_STATE_WORKING");
            assert.equal(result.history.length, 1);
            const { configs } = (await owner.call("ListTaskPushNotificationConfigs", { taskId })).result;
            assert.deepEqual(
              configs.map(({ id, url }: { id: string; url: string }) => [id, url]),
              [["hook", `${hooks}/a`]],
            );
          },
        );
      }

      test(`TURN-17, TEN-09: a reference of another ${other} to a task leads nowhere [${way}, ${binding}]`, async (t) => {
        const { owner, stranger, taskId, contextId, shown } = await stage(t, way, binding, other);
        const message = { referenceTaskIds: [taskId], contextId };
        const { result } = await stranger.call("SendMessage", text("short", { message }));
        assert.equal(result.task.contextId, contextId);
        assert.notEqual(result.task.id, taskId);
        await owner.call("SendMessage", text("short", { message }));
        assert.deepEqual(shown, [[], [], [taskId]]);
        // The same context is another one for each of them.
        for (const [caller, count] of [
          [owner, 2],
          [stranger, 1],
        ] as const) {
          assert.equal((await caller.call("ListTasks", { contextId })).result.totalSize, count);
        }
      });

      test(`PAGE-08, TEN-09: a page token of another ${other} is none [${way}, ${binding}]`, async (t) => {
        const { owner, stranger } = await stage(t, way, binding, other);
        await owner.call("SendMessage", text("short"));
        const { result } = await owner.call("ListTasks", { pageSize: 1 });
        const page = { pageSize: 1, pageToken: result.nextPageToken };
        assert.equal((await owner.call("ListTasks", page)).result.tasks.length, 1);
        const { error, fields } = await stranger.call("ListTasks", page);
        assert.deepEqual([error, fields], ["INVALID_PARAMS", ["pageToken"]]);
      });
    }
  }
}
