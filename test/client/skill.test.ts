import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { type Skills, skills } from "../../examples/typed-skills/generated/skills.js";
import {
  type BindingName,
  type Client,
  ClientError,
  type ConnectOptions,
  connect,
  RemoteError,
  type SkillContract,
  SkillError,
  type SkillQuestion,
} from "../../src/client/index.js";
import {
  type AgentDefinition,
  artifact,
  completed,
  dataOf,
  dataPart,
  defineAgent,
  type Executor,
  failed,
  inputRequired,
  rejected,
  reply,
  type SkillExecutors,
  submitted,
  textOf,
  textPart,
  working,
} from "../../src/index.js";
import { plainCard, serveFor } from "../support/peer.js";
import { clientOf, completed as ended, eventStream, frames, result, task } from "./scripted.js";

const card = {
  ...plainCard,
  skills: [
    { id: "quote", name: "Quote", description: "Offers.", tags: ["a"] },
    { id: "claim", name: "Claim", description: "Pays.", tags: ["a"] },
  ],
};

const execute: SkillExecutors<Skills> = {
  quote: ({ input: { amount } }) => ({ premium: amount / 10, terms: [{ title: "Excess" }] }),
  async *claim({ input, ask, output }) {
    yield working(`Looking at ${input.policy}`);
    yield output({ decision: "refused", reason: "not yet" });
    const answer = yield* ask([textPart("How much?"), dataPart({ currency: "EUR" })]);
    yield artifact({ name: "letter" }).text("Dear customer");
    yield output({ decision: "paid", amount: Number(textOf(answer)) });
  },
};

const boat = { kind: "boat", amount: 30 } as const;
const sunk = { policy: "P-1", what: "It sank." };
const bindings: readonly BindingName[] = ["JSONRPC", "HTTP+JSON"];

async function insurer(t: TestContext, options: ConnectOptions<Skills> = {}): Promise<Client<Skills>> {
  const { url } = await serveFor(t, defineAgent({ card, skills, execute }));
  return connect(url, { skills, ...options });
}

/** A client with the contracts of an agent that knows nothing of them. */
async function stranger(t: TestContext, answer: Executor, more: Partial<AgentDefinition> = {}) {
  const { url } = await serveFor(t, { card: plainCard, execute: answer, ...more });
  return connect(url, { skills });
}

for (const binding of bindings) {
  test(`a skill is called with data and gives data [${binding}]`, async (t) => {
    const client = await insurer(t, { bindings: [binding] });
    const { output, text, task } = await client.skill("quote").call(boat);
    assert.deepEqual([output, text, task], [{ premium: 3, terms: [{ title: "Excess" }] }, "", undefined]);
    const questions: SkillQuestion[] = [];
    const paid = await client.skill("claim").call(sunk, {
      message: { messageId: "first", metadata: { trace: "x" } },
      answer(question) {
        questions.push(question);
        return "70";
      },
    });
    assert.deepEqual(paid.output, { decision: "paid", amount: 70 });
    assert.equal(paid.task?.status.state, "TASK_STATE_COMPLETED");
    assert.match(paid.text, /Dear customer/);
    assert.deepEqual(
      questions.map(({ text, data }) => [text, data]),
      [["How much?", [{ currency: "EUR" }]]],
    );
    const [first, second] = paid.task?.history?.filter(({ role }) => role === "ROLE_USER") ?? [];
    assert.deepEqual([first?.messageId, first?.metadata], ["first", { trace: "x", skill: "claim" }]);
    assert.notEqual(second?.messageId, "first");
  });

  test(`a stream of a skill tells of states, words and outputs, over questions too [${binding}]`, async (t) => {
    const client = await insurer(t, { bindings: [binding] });
    const told: unknown[] = [];
    const stream = client.skill("claim").stream(sunk, { answer: () => [textPart("70")] });
    for await (const { output, text, status } of stream) told.push(output ?? text ?? status?.state);
    assert.deepEqual(told, [
      "TASK_STATE_WORKING",
      { decision: "refused", reason: "not yet" },
      "TASK_STATE_INPUT_REQUIRED",
      "TASK_STATE_WORKING",
      "Dear customer",
      { decision: "paid", amount: 70 },
      "TASK_STATE_COMPLETED",
    ]);
    assert.deepEqual((await stream.result()).output, { decision: "paid", amount: 70 });
    const direct = client.skill("quote").stream(boat);
    assert.equal((await direct.result()).output.premium, 3);
  });

  test(`input that is not valid is not sent; without contracts the agent refuses it [${binding}]`, async (t) => {
    const client = await insurer(t, { bindings: [binding] });
    const wrong = { ...boat, amount: "a lot" };
    await assert.rejects(client.skill("quote").call(wrong as never), (error) => {
      assert.ok(error instanceof ClientError);
      assert.deepEqual(
        [error.code, error.field, error.expected],
        ["INVALID_REQUEST", "message.parts[0].data.amount", "must be a number"],
      );
      return true;
    });
    const { url } = client.agentInterface;
    const anybody = await connect(url, { bindings: [binding] });
    for (const call of [
      () => anybody.skill("quote").call(wrong),
      () => anybody.skill("quote").stream(wrong).result(),
    ]) {
      await assert.rejects(call, (error) => {
        assert.ok(error instanceof RemoteError);
        assert.deepEqual(
          [error.code, error.violations],
          ["INVALID_PARAMS", [{ field: "message.parts[0].data.amount", description: "must be a number" }]],
        );
        return true;
      });
    }
    assert.deepEqual((await anybody.skill("quote").call(boat)).output, {
      premium: 3,
      terms: [{ title: "Excess" }],
    });
  });
}

test("a question without an answer ends the call, and a reply goes on with it", async (t) => {
  const client = await insurer(t);
  const claim = client.skill("claim");
  for (const options of [{}, { answer: () => undefined }]) {
    const error = await claim.call(sunk, options).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof SkillError && error.task);
    assert.deepEqual([error.state, error.text], ["TASK_STATE_INPUT_REQUIRED", "How much?"]);
    assert.equal(error.message, "The agent asks a question: How much?");
    const { output, task } = await claim.reply(error.task, "20", { message: { messageId: "answer" } });
    assert.deepEqual(output, { decision: "paid", amount: 20 });
    assert.ok(task);
    assert.equal(task.history?.findLast(({ role }) => role === "ROLE_USER")?.messageId, "answer");
    assert.deepEqual((await claim.resultOf(task)).output, output);
  }
});

test("a task that does not end well is an error with its state and its words", async (t) => {
  const endings = { failed: failed("no money"), rejected: rejected(), asked: inputRequired([dataPart({})]) };
  const client = await stranger(t, async function* ({ message }) {
    yield submitted();
    const [{ policy } = { policy: "" }] = dataOf(message) as { policy: keyof typeof endings }[];
    yield endings[policy as keyof typeof endings];
  });
  const anybody: Client = client;
  const states: unknown[] = [];
  const plain = await connect(anybody.card);
  for (const policy of Object.keys(endings)) {
    const error = await plain
      .skill("claim")
      .call({ policy })
      .catch((thrown: unknown) => thrown);
    assert.ok(error instanceof SkillError);
    states.push([error.state, error.message]);
  }
  assert.deepEqual(states, [
    ["TASK_STATE_FAILED", "The skill failed: no money"],
    ["TASK_STATE_REJECTED", "The agent rejected the task"],
    ["TASK_STATE_INPUT_REQUIRED", "The agent asks a question"],
  ]);
});

test("an agent that knows nothing of contracts gets a plain message, and may answer in data or in words", async (t) => {
  const offer = { premium: 1, terms: [] };
  const answers: Record<string, Executor> = {
    data: () => reply([dataPart(offer)]),
    json: () => reply(JSON.stringify(offer)),
    artifact: async function* () {
      yield artifact().text("Here it is");
      yield artifact().data(offer);
      yield completed();
    },
  };
  for (const [kind, answer] of Object.entries(answers)) {
    const client = await stranger(t, answer);
    const { output, text } = await client.skill("quote").call(boat);
    assert.deepEqual(output, offer, kind);
    assert.equal(text.startsWith("Here"), kind === "artifact");
    const anybody = await connect(client.card);
    const free = (await anybody.skill("anything").call("hello")).output;
    assert.deepEqual(free, kind === "json" ? JSON.stringify(offer) : offer);
    assert.equal(anybody.skill("anything").schemas, undefined);
  }
  const wordy = await stranger(t, ({ text }) => reply(`${text}? About three euros`));
  const error = await wordy
    .skill("quote")
    .call(boat)
    .catch((thrown: unknown) => thrown);
  assert.ok(error instanceof SkillError);
  assert.deepEqual([error.state, error.text], [undefined, "? About three euros"]);
  const words: { say: SkillContract<string, string> } = { say: {} };
  const said = await (await connect(wordy.card, { skills: words })).skill("say").call("Rain");
  assert.equal(said.output, "Rain? About three euros");
  const silent = await stranger(t, async function* () {
    yield completed();
  });
  await assert.rejects(silent.skill("quote").call(boat), /The skill returned no output/);
});

test("output that breaks the contract is an error that names the member, in a stream as well", async (t) => {
  const wrong = { premium: "three", terms: [] };
  const client = await stranger(t, async function* () {
    yield artifact().text("Well");
    yield artifact().parts([textPart("see"), dataPart(wrong)]);
  });
  for (const [call, field] of [
    [() => client.skill("quote").call(boat), "task.artifacts[1].parts[1].data.premium"],
    [() => client.skill("quote").stream(boat).result(), "artifactUpdate.artifact.parts[1].data.premium"],
  ] as const) {
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof ClientError);
      assert.deepEqual([error.code, error.field, error.received], ["INVALID_RESPONSE", field, "other text"]);
      assert.equal(error.message, `The output of the skill is not valid: ${field} ${error.expected}`);
      return true;
    });
  }
});

test("schemas are those of the contract, or those in the card", async (t) => {
  const client = await insurer(t);
  assert.equal(client.skill("quote").id, "quote");
  const expected = { input: skills.quote.input?.schema, output: skills.quote.output?.schema };
  assert.deepEqual(client.skill("quote").schemas, expected);
  const anybody = await connect(client.card);
  assert.deepEqual(anybody.skill("quote").schemas, expected);
  const odd = (params: { [key: string]: unknown }) => ({
    ...client.card,
    capabilities: { extensions: [{ uri: "urn:a2a-parley:skill-schemas:v1", params }] },
  });
  for (const params of [{}, { skills: [] }, { skills: { quote: 7 } }, { skills: { quote: { input: [] } } }]) {
    const { schemas } = (await connect(odd(params))).skill("quote");
    assert.deepEqual(schemas ?? {}, {});
  }
});

test("what a snapshot repeats is told once, and a task that is still at work is waited for", async () => {
  const part = (n: number) => ({ data: { decision: "paid", amount: n } });
  const artifacts = [{ artifactId: "a", parts: [part(1)] }];
  const open = { ...task, artifacts };
  const chunk = {
    taskId: "t",
    contextId: "c",
    artifact: { artifactId: "a", parts: [part(2)] },
    append: true,
  };
  const done = { ...task, status: ended, artifacts: [{ artifactId: "a", parts: [1, 2].map(part) }] };
  const { client, seen } = await clientOf((request) => {
    const { method } = request.json;
    if (method === "SendStreamingMessage")
      return eventStream(frames(request, [{ task: open }, { artifactUpdate: chunk }, { task: done }]));
    if (method === "SubscribeToTask") return eventStream(frames(request, [{ task: done }]));
    return result(request, method === "GetTask" ? done : { task: open });
  });
  const amounts: unknown[] = [];
  for await (const { output } of client.skill("claim").stream(sunk)) amounts.push((output as any)?.amount);
  assert.deepEqual(
    amounts.filter((amount) => amount !== undefined),
    [1, 2],
  );
  const options = { timeout: 5, headers: { "X-Trace": "7" }, extensions: ["urn:x"] };
  const before = seen.length;
  assert.deepEqual((await client.skill("claim").call(sunk, options)).output, part(2).data);
  // The reads of the wait belong to the call.
  assert.deepEqual(
    seen
      .slice(before)
      .map(({ json, headers }) => [json.method, headers.get("x-trace"), headers.get("a2a-extensions")]),
    ["SendMessage", "SubscribeToTask", "GetTask"].map((method) => [method, "7", "urn:x"]),
  );
});
