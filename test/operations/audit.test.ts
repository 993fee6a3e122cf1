import assert from "node:assert/strict";
import { test } from "vitest";
import { completed, type Executor, failed, inputRequired, reply, working } from "../../src/index.js";
import { type AuditEvent, apiKeys } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { notebook } from "../server/scripted-agent.js";
import { plainCard, serveFor, text } from "../support/peer.js";

const keyed = {
  ...plainCard,
  securitySchemes: { key: { apiKeySecurityScheme: { name: "X-Key", location: "header" } } },
  securityRequirements: [{ schemes: { key: { list: [] } } }],
};
const auth = { verifiers: { key: apiKeys({ "key-of-ann": "ann" }) } };
const headers = { "X-Key": "key-of-ann" };

for (const binding of ["rpc", "rest"] as const) {
  test(`SEC-17: an audit hears of tasks that are made and of each state they come to [${binding}]`, async (t) => {
    const events: AuditEvent[] = [];
    const server = await serveFor(
      t,
      {
        card: keyed,
        async *execute({ task }) {
          yield working("looking");
          yield working("still looking");
          if (task === undefined) yield inputRequired("which one?");
          else yield completed("secret content");
        },
      },
      { auth, audit: (event) => events.push(event) },
    );
    const { result } = await server[binding].call("SendMessage", text("go"), headers);
    const { id: taskId, contextId } = result.task;
    await server[binding].call("SendMessage", text("that", { message: { taskId } }), headers);
    const scope = { agent: "", tenant: "", owner: "ann" };
    const changed = (from: string, state: string, generation: number) => ({
      ...{ kind: "stateChanged", scope, taskId, from, state, generation },
    });
    assert.deepEqual(events, [
      { kind: "taskCreated", scope, taskId, contextId, state: "TASK_STATE_WORKING" },
      changed("TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED", 3),
      changed("TASK_STATE_INPUT_REQUIRED", "TASK_STATE_WORKING", 4),
      changed("TASK_STATE_WORKING", "TASK_STATE_COMPLETED", 7),
    ]);
    assert.ok(!JSON.stringify(events).includes("secret content"));
  });

  test(`SEC-13, SEC-17: an audit hears of callers who are turned away, without what they have shown [${binding}]`, async (t) => {
    const events: AuditEvent[] = [];
    const denials: unknown[] = [];
    const server = await serveFor(
      t,
      { card: keyed, execute: async () => reply("hi") },
      { auth: { ...auth, audit: (denial) => denials.push(denial) }, audit: (event) => events.push(event) },
    );
    await server[binding].call("SendMessage", text("go"), { "X-Key": "planted-key" });
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ["denied"],
    );
    const [event] = events;
    assert.ok(event?.kind === "denied");
    assert.deepEqual([event.code, event.operation, event.agent], ["UNAUTHENTICATED", "SendMessage", ""]);
    assert.ok(!JSON.stringify(events).includes("planted-key"));
    assert.equal(denials.length, 1);
  });
}

test("SEC-17: a canceled task and one that fails at once are heard of", async (t) => {
  const states: string[] = [];
  const server = await serveFor(
    t,
    {
      card: plainCard,
      async *execute({ text }) {
        if (text === "fail") return yield failed("no");
        yield inputRequired("?");
      },
    },
    {
      audit: (event) => {
        if (event.kind === "taskCreated" || event.kind === "stateChanged") states.push(event.state);
      },
    },
  );
  const { result } = await server.rpc.call("SendMessage", text("go"));
  await server.rest.call("CancelTask", { id: result.task.id });
  await server.rpc.call("SendMessage", text("fail"));
  assert.deepEqual(states, ["TASK_STATE_INPUT_REQUIRED", "TASK_STATE_CANCELED", "TASK_STATE_FAILED"]);
});

test("an audit that throws changes nothing for the caller, and is logged", async (t) => {
  const notes = notebook();
  const server = await serveFor(
    t,
    {
      card: plainCard,
      async *execute() {
        yield completed();
      },
    },
    {
      logger: notes.logger,
      audit: () => {
        throw new Error("the audit is full");
      },
    },
  );
  const { result } = await server.rpc.call("SendMessage", text("go"));
  assert.equal(result.task.status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(notes.texts("error"), ["A hook failed"]);
});

for (const binding of ["rpc", "rest"] as const) {
  test(`SEC-17: a message on another node is in the audit once, and the next change begins with its state [${binding}]`, async (t) => {
    const { changes, options, agent } = asking();
    const [here, there] = [await serveFor(t, agent, options), await serveFor(t, agent, options)];
    const { result } = await here[binding].call("SendMessage", text("go"));
    const { id: taskId } = result.task;
    await there[binding].call("SendMessage", text("this one", { message: { taskId } }));
    await here.close();
    assert.deepEqual(changes, answeredOnce);
  });

  test(`SEC-17: so is a message that is sent on condition that the task has not changed [${binding}]`, async (t) => {
    const { changes, options, agent } = asking();
    const server = await serveFor(t, agent, { ...options, versions: ["1.1-draft"] });
    const draft = { "A2A-Version": "1.1-draft" };
    const { result } = await server[binding].call("SendMessage", text("go"), draft);
    const { id: taskId, generation } = result.task;
    const configuration = { ifGenerationMatch: generation };
    const answer = text("this one", { message: { taskId }, configuration });
    await server[binding].call("SendMessage", answer, draft);
    await server.close();
    assert.deepEqual(changes, answeredOnce);
  });
}

/** An agent that asks for something, and the state changes in its audit. */
function asking() {
  const changes: unknown[] = [];
  const audit = (event: AuditEvent) => {
    if (event.kind === "stateChanged") changes.push([event.generation, event.from, event.state]);
  };
  const execute: Executor = async function* ({ ask }) {
    yield* ask("Which one?");
    yield working("on that one");
    yield completed();
  };
  return { changes, options: { store: new MemoryStore(), audit }, agent: { card: plainCard, execute } };
}

const answeredOnce = [
  [2, "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_WORKING"],
  [4, "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"],
];
