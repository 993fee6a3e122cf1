import assert from "node:assert/strict";
import { test } from "vitest";
import { skills } from "../../examples/typed-skills/generated/skills.js";
import {
  artifact,
  completed,
  dataPart,
  defineAgent,
  type Executor,
  failed,
  inputRequired,
  reply,
  type SkillAgentDefinition,
  type SkillContract,
  textPart,
  UpdateRefused,
  working,
} from "../../src/index.js";
import { onBoth } from "../support/both.js";
import { plainCard, serveFor, text } from "../support/peer.js";

type Definition = SkillAgentDefinition<typeof skills>;
type Execute = Definition["execute"];

const card = {
  ...plainCard,
  skills: [
    { id: "quote", name: "Quote", description: "Offers.", tags: ["a"] },
    {
      id: "claim",
      name: "Claim",
      description: "Pays.",
      tags: ["a"],
      inputModes: ["application/vnd.claim+json"],
    },
  ],
};
const quote: Execute["quote"] = ({ input: { amount } }) => ({ premium: amount / 10, terms: [] });
const claim: Execute["claim"] = async function* ({ input, output, skill }) {
  yield working(`${skill} ${input.policy}`);
  yield output({ decision: "paid", amount: 1 });
};

function agent(execute: Partial<Execute> = {}, more: Partial<Definition> = {}) {
  return defineAgent({ card, skills, execute: { quote, claim, ...execute }, ...more });
}

/** A message with data that names a skill. */
function data(value: unknown, skill?: string, more: object = {}) {
  return text("", { message: { parts: [{ data: value }], ...(skill && { metadata: { skill } }), ...more } });
}

const boat = { kind: "boat", amount: 30 };
const sunk = { policy: "P-1", what: "It sank." };
const made = agent();
const served = { card: made.card, ...(made.extensions && { extensions: made.extensions }) };

onBoth(
  "a message with data goes to its skill: a function answers with a message, a generator with a task",
  made.execute,
  async (peer) => {
    const offer = await peer.call("SendMessage", data(boat, "quote"));
    assert.deepEqual(offer.result.message.parts, [{ data: { premium: 3, terms: [] } }]);
    const { result } = await peer.call("SendMessage", data(sunk, "claim"));
    assert.equal(result.task.status.state, "TASK_STATE_COMPLETED");
    const [{ name, parts }] = result.task.artifacts;
    assert.deepEqual([name, parts], ["claim", [{ data: { decision: "paid", amount: 1 } }]]);
  },
  served,
);

onBoth(
  "input that breaks the schema is refused with the path, and no task is made",
  made.execute,
  async (peer) => {
    const faults: [unknown, string, string][] = [
      [{ ...boat, amount: "3" }, "message.parts[0].data.amount", "must be a number"],
      [{ ...boat, amount: 0 }, "message.parts[0].data.amount", "must be > 0"],
      [{ kind: "boat" }, "message.parts[0].data.amount", "is required"],
      [{ ...boat, kind: "plane" }, "message.parts[0].data.kind", "must be one of bicycle, boat, house"],
      [{ ...boat, since: "today" }, "message.parts[0].data.since", "must match pattern"],
      [[], "message.parts[0].data", "must be an object"],
      [null, "message.parts[0].data", "must be an object"],
    ];
    for (const [value, field, description] of faults) {
      const refused = await peer.call("SendMessage", data(value, "quote"));
      assert.deepEqual([refused.error, refused.fields], ["INVALID_PARAMS", [field]]);
      assert.ok(refused.message?.includes(`${field} ${description}`), refused.message);
    }
    const words = await peer.call(
      "SendMessage",
      text("a boat", { message: { metadata: { skill: "quote" } } }),
    );
    assert.deepEqual([words.error, words.fields], ["INVALID_PARAMS", ["message.parts"]]);
    const twice = { parts: [{ text: "see" }, { data: boat }, { data: boat }] };
    assert.deepEqual((await peer.call("SendMessage", data(0, "quote", twice))).fields, [
      "message.parts[2].data",
    ]);
    const second = { parts: [{ text: "see" }, { data: { kind: "boat" } }] };
    const fields = ["message.parts[1].data.amount"];
    assert.deepEqual((await peer.call("SendMessage", data(0, "quote", second))).fields, fields);
    for (const unknown of [data(boat), data(boat, "sell"), data(boat, "constructor"), text("hello")]) {
      const refused = await peer.call("SendMessage", unknown);
      assert.deepEqual([refused.error, refused.fields], ["INVALID_PARAMS", ["message.metadata.skill"]]);
    }
    assert.equal((await peer.call("ListTasks")).result.totalSize, 0);
  },
  served,
);

test("EXT-01: the card publishes the schemas and says that the skills take and give JSON", async (t) => {
  const { url } = await serveFor(t, agent());
  const found: any = await (await fetch(`${url}/.well-known/agent-card.json`)).json();
  const [extension] = found.capabilities.extensions;
  assert.equal(extension.uri, "urn:a2a-parley:skill-schemas:v1");
  assert.deepEqual(Object.keys(extension.params.skills), ["claim", "quote"]);
  assert.deepEqual(extension.params.skills.quote, {
    input: skills.quote.input?.schema,
    output: skills.quote.output?.schema,
  });
  const modes = found.skills.map(({ inputModes, outputModes }: any) => [inputModes, outputModes]);
  assert.deepEqual(modes, [
    [["application/json"], ["application/json"]],
    [["application/vnd.claim+json"], ["application/json"]],
  ]);
});

test("a fallback takes what no skill takes, words first of all; `match` may choose the skill", async (t) => {
  const fallback: Executor = async ({ text }) => reply(`Tell me more about ${text}`);
  const { rpc } = await serveFor(
    t,
    agent({}, { fallback, match: ({ metadata }) => metadata?.wish as string }),
  );
  assert.match((await rpc.call("SendMessage", text("boats"))).result.message.parts[0].text, /about boats/);
  const wished = data(boat, undefined, { metadata: { wish: "quote" } });
  assert.equal((await rpc.call("SendMessage", wished)).result.message.parts[0].data.premium, 3);
  const begun: Executor = async function* ({ task }) {
    yield task ? completed("done") : inputRequired("what?");
  };
  const asking = await serveFor(t, agent({}, { fallback: begun }));
  const { id } = (await asking.rpc.call("SendMessage", text("hm"))).result.task;
  const more = await asking.rpc.call("SendMessage", text("that", { message: { taskId: id } }));
  assert.equal(more.result.task.status.state, "TASK_STATE_COMPLETED");
});

test("an agent with one skill needs no name of it, and a skill without schemas is about text", async (t) => {
  const one = { ...card, skills: [{ id: "shout", name: "Shout", description: "Loud.", tags: ["a"] }] };
  const shout: { readonly shout: SkillContract<string, string> } = { shout: {} };
  const execute = { shout: ({ input }: { input: string }) => input.toUpperCase() };
  const { rpc } = await serveFor(t, defineAgent({ card: one, skills: shout, execute }));
  assert.deepEqual((await rpc.call("SendMessage", text("hey"))).result.message.parts, [{ text: "HEY" }]);
  const slow = defineAgent({
    card: one,
    skills: shout,
    execute: {
      async *shout({ input, output }) {
        yield output(input, { artifactId: "first" });
        return input.toUpperCase();
      },
    },
  });
  const { rpc: other } = await serveFor(t, slow);
  const { artifacts } = (await other.call("SendMessage", text("hey"))).result.task;
  assert.deepEqual(
    artifacts.map(({ parts }: any) => parts[0].text),
    ["hey", "HEY"],
  );
});

test("the input of a task is that of its first message, whatever comes later", async (t) => {
  const execute: Execute["claim"] = async function* ({ input, task, text, ask, output }) {
    if (task === undefined) return yield inputRequired("How much?");
    const reason = (yield* ask(`${text} for ${input.policy}: why?`)).parts[0]?.text ?? "";
    yield output({ decision: "refused", reason });
  };
  const { rest } = await serveFor(t, agent({ claim: execute }));
  const { id } = (await rest.call("SendMessage", data(sunk, "claim"))).result.task;
  const again = await rest.call("SendMessage", text("100", { message: { taskId: id } }));
  assert.equal(again.result.task.status.message.parts[0].text, "100 for P-1: why?");
  const { task } = (await rest.call("SendMessage", text("storm", { message: { taskId: id } }))).result;
  assert.deepEqual(task.artifacts[0].parts[0].data, { decision: "refused", reason: "storm" });
});

test("output that breaks the schema is thrown back at its yield and never leaves", async (t) => {
  const seen: string[] = [];
  const claimed: Execute["claim"] = async function* ({ output }) {
    for (const wrong of [{ decision: "maybe" }, { decision: "paid" }]) {
      try {
        yield artifact().data(wrong);
      } catch (error) {
        assert.ok(error instanceof UpdateRefused);
        seen.push(error.message);
      }
    }
    try {
      yield completed();
    } catch (error) {
      seen.push((error as Error).message);
    }
    yield output({ decision: "paid", amount: 2 });
    yield completed("done");
  };
  const { rpc } = await serveFor(t, agent({ claim: claimed }));
  const { task } = (await rpc.call("SendMessage", data(sunk, "claim"))).result;
  assert.equal(task.status.state, "TASK_STATE_COMPLETED");
  assert.equal(task.artifacts.length, 1);
  assert.match(seen[0] ?? "", /^artifactUpdate\.artifact\.parts\[0\]\.data must match exactly one schema/);
  assert.match(seen[2] ?? "", /ended without the output/);
});

test("a skill that does not give what it promises fails its task, or answers with an error", async (t) => {
  const wrong = { premium: -1, terms: [] };
  const nothing: Execute["claim"] = async function* () {
    yield working();
  };
  const said: Execute["claim"] = async function* () {
    yield reply([textPart("no idea")]);
  };
  const excused: Execute["claim"] = async function* () {
    yield failed("no money");
  };
  for (const [execute, skill, outcome] of [
    [{ quote: () => wrong }, "quote", "INVALID_AGENT_RESPONSE"],
    [{ quote: async () => wrong }, "quote", "INVALID_AGENT_RESPONSE"],
    [{ claim: said }, "claim", "INVALID_AGENT_RESPONSE"],
    [{ claim: nothing }, "claim", "TASK_STATE_FAILED"],
    [{ claim: excused }, "claim", "TASK_STATE_FAILED"],
  ] as const) {
    const { rpc } = await serveFor(t, agent(execute));
    const { result, error } = await rpc.call("SendMessage", data(skill === "quote" ? boat : sunk, skill));
    assert.equal(error ?? result.task.status.state, outcome);
  }
});

test("a question excuses a skill from its output only until its answer, or its own COMPLETED", async (t) => {
  const asking: Execute["claim"] = async function* ({ ask }) {
    yield* ask("How much?");
  };
  const waiting: Execute["claim"] = async function* ({ nextMessage }) {
    yield inputRequired("How much?");
    await nextMessage();
  };
  for (const execute of [asking, waiting]) {
    const { rest } = await serveFor(t, agent({ claim: execute }));
    const { task } = (await rest.call("SendMessage", data(sunk, "claim"))).result;
    assert.equal(task.status.state, "TASK_STATE_INPUT_REQUIRED");
    const answer = text("100", { message: { taskId: task.id } });
    const { result } = await rest.call("SendMessage", answer);
    assert.equal(result.task.status.state, "TASK_STATE_FAILED");
  }
  const completing: Execute["claim"] = async function* () {
    yield inputRequired("How much?");
    yield completed("Never mind.");
  };
  const { rest } = await serveFor(t, agent({ claim: completing }));
  const { task } = (await rest.call("SendMessage", data(sunk, "claim"))).result;
  assert.equal(task.status.state, "TASK_STATE_FAILED");
});

test("a refusal by the engine reaches the executor through the checks, and so does the end of its task", async (t) => {
  let thrown = "";
  let left = false;
  const claimed: Execute["claim"] = async function* ({ output }) {
    try {
      try {
        yield reply([dataPart({ decision: "paid", amount: 1 })]);
        yield working();
      } catch (error) {
        thrown = (error as Error).message;
      }
      yield output({ decision: "paid", amount: 1 });
    } finally {
      left = true;
    }
  };
  const { rpc } = await serveFor(t, agent({ claim: claimed }));
  await rpc.call("SendMessage", data(sunk, "claim"));
  assert.match(thrown, /an update of the task after a reply/);
  assert.ok(left);
});

test("a definition that leaves out a skill is refused when it is made", () => {
  assert.throws(() => agent({ claim: undefined as never }), /execute needs a function for the skill claim/);
  assert.throws(
    () => defineAgent({ card: plainCard, skills, execute: { quote, claim } }),
    /card\.skills needs an entry for the skill claim/,
  );
});
