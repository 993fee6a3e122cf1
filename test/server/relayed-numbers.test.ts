import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { UnimplementedHandler } from "../../src/bridges/index.js";
import { type Client, connect, RemoteError } from "../../src/client/index.js";
import type {
  Agent,
  Message,
  Received,
  StreamResponse,
  Task,
  UnrecognizedEnumValue,
} from "../../src/index.js";
import { pushReceiver } from "../../src/push/index.js";
import { type ServeOptions, serve } from "../../src/server/index.js";
import { plainCard, serveExecutor } from "../support/peer.js";

type Json = any;

const STATE = 99 as UnrecognizedEnumValue;
const ROLE = -7 as UnrecognizedEnumValue;

const message = (spot: string): Received<Message> => ({
  messageId: spot,
  contextId: "c",
  taskId: "t",
  role: ROLE,
  parts: [{ text: spot }],
});
const task: Received<Task> = {
  id: "t",
  contextId: "c",
  status: { state: STATE, message: message("now") },
  history: [message("before")],
};
const events: Received<StreamResponse>[] = [
  { task },
  { statusUpdate: { taskId: "t", contextId: "c", status: { state: STATE, message: message("now") } } },
  { statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_COMPLETED" } } },
];

/** An agent made by hand that answers with what it is given. */
function agentOf(
  answer: () => Promise<Received<Task>>,
  stream: () => AsyncIterable<Received<StreamResponse>>,
): Agent {
  class Handler extends UnimplementedHandler {
    override getTask = answer;
    override sendMessage = async () => ({ task: await answer() });
    override sendStreamingMessage = () => stream();
    override subscribeToTask = () => stream();
  }
  return { card: plainCard, handler: new Handler() } as Agent;
}

async function served(t: TestContext, agent: Agent, options: ServeOptions): Promise<string> {
  const server = await serve(agent, options);
  t.onTestFinished(() => server.close(0));
  return server.url;
}

function relayOf(client: Client): Agent {
  return agentOf(
    () => client.getTask({ id: "t" }),
    () =>
      client.sendStreamingMessage({ message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }] } }),
  );
}

/** The numbers in a task, wherever an enum value stands. */
const numbersIn = ({ status, history = [] }: Received<Task>) => [
  status.state,
  status.message?.role,
  history[0]?.role,
];

for (const [version, binding] of [
  ["1.0", "JSONRPC"],
  ["1.0", "HTTP+JSON"],
  ["0.3", "JSONRPC"],
  ["0.3", "HTTP+JSON"],
  ["0.1", "JSONRPC"],
  ["0.1-flat", "JSONRPC"],
] as const) {
  const options = { versions: [version], bindings: [binding] };

  test(`JSONV-04, TASK-18: numbers of states and roles without a name are numbers after a relay over ${version} ${binding}`, async (t) => {
    const origin = agentOf(
      async () => task,
      async function* () {
        yield* events;
      },
    );
    const first = await connect(await served(t, origin, options));
    const last = await connect(await served(t, relayOf(first), options));
    assert.deepEqual(numbersIn(await last.getTask({ id: "t" })), [STATE, ROLE, ROLE]);
    const { task: sent } = await last.sendText("x");
    assert.deepEqual(sent && numbersIn(sent), [STATE, ROLE, ROLE]);
    const states: unknown[] = [];
    const roles: unknown[] = [];
    for await (const { task: opened, statusUpdate } of last.stream("x")) {
      const status = (opened ?? statusUpdate)?.status;
      states.push(status?.state);
      if (status?.message !== undefined) roles.push(status.message.role);
    }
    assert.equal(states[0], STATE);
    assert.equal(states.at(-1), "TASK_STATE_COMPLETED");
    assert.deepEqual(
      roles.filter((role) => role !== ROLE),
      [],
    );
    assert.ok(roles.length > 0);
  });
}

const said = { role: 99, parts: [{ text: "hm" }] };
const bodies: Readonly<Record<string, Json>> = {
  "1.0": {
    statusUpdate: {
      taskId: "t",
      contextId: "c",
      status: { state: 99, message: { messageId: "m", ...said } },
    },
  },
  "0.3": {
    kind: "status-update",
    taskId: "t",
    contextId: "c",
    final: false,
    status: {
      state: 99,
      message: { kind: "message", messageId: "m", role: 99, parts: [{ kind: "text", text: "hm" }] },
    },
  },
  "0.1": {
    id: "t",
    status: { state: 99, message: { role: 99, parts: [{ type: "text", text: "hm" }] } },
    final: false,
  },
  "0.1-flat": {
    type: "TaskStatusUpdateEvent",
    taskId: "t",
    contextId: "c",
    status: { state: 99, message: said },
  },
};

for (const [version, body] of Object.entries(bodies)) {
  test(`JSONV-04: a webhook of ${version} may have numbers without a name, and they are kept`, async () => {
    const seen: Received<StreamResponse>[] = [];
    const receiver = pushReceiver({
      expect: () => ({ token: "s" }),
      onNotification: ({ event }) => void seen.push(event),
    });
    const headers = { "content-type": "application/json", "x-a2a-notification-token": "s" };
    const request = { method: "POST", url: "/hook", headers, body: JSON.stringify(body) };
    const { status, reason } = await receiver.receive(request);
    assert.ok(status < 300, reason);
    const { state, message: words } = seen[0]?.statusUpdate?.status ?? {};
    assert.deepEqual([state, words?.role], [99, 99]);
  });
}

test("JSONV-04: what a hand-made agent misspells is no newer value", async (t) => {
  for (const state of ["TASK_STATE_COMPLETE", 3, 1.5, 2 ** 31]) {
    const broken = { ...task, status: { state } } as unknown as Task;
    const origin = agentOf(
      async () => broken,
      async function* () {
        yield { task: broken };
      },
    );
    const client = await connect(await served(t, origin, {}));
    await assert.rejects(client.getTask({ id: "t" }), { code: "INVALID_AGENT_RESPONSE" });
  }
});

test("JSONV-04: an executor cannot yield a number, and requests with one are refused", async (t) => {
  const refused: unknown[] = [];
  // @ts-expect-error a state that this version does not define
  const { url } = await serveExecutor(t, async function* () {
    try {
      yield { statusUpdate: { status: { state: STATE } } };
    } catch (error) {
      refused.push(error);
      throw error;
    }
  });
  const client = await connect(url);
  await assert.rejects(client.sendText("x"), RemoteError);
  assert.equal(refused.length, 1);
  await assert.rejects(
    // @ts-expect-error a value that this version does not define
    client.sendMessage({ message: { messageId: "m", role: ROLE, parts: [{ text: "x" }] } }),
    { code: "INVALID_REQUEST" },
  );
});
