import assert from "node:assert/strict";
import { test } from "vitest";
import * as bridges from "../../src/bridges/index.js";
import * as client from "../../src/client/index.js";
import * as root from "../../src/index.js";
import * as loopback from "../../src/loopback/index.js";
import * as server from "../../src/server/index.js";
import * as stores from "../../src/stores/index.js";
import * as testing from "../../src/testing/index.js";

const entryPoints = {
  "a2a-parley": root,
  "a2a-parley/bridges": bridges,
  "a2a-parley/client": client,
  "a2a-parley/loopback": loopback,
  "a2a-parley/stores": stores,
  "a2a-parley/testing": testing,
  "a2a-parley/server": server,
};

/** What a program without types may call any function with. */
const wrong: Readonly<Record<string, readonly unknown[]>> = {
  nothing: [],
  undefined: [undefined],
  null: [null],
  "a number": [5],
  "a string": ["x"],
  "an object": [{}],
  "a list": [[]],
  "a function": [() => undefined],
};

/** Errors of the platform: what a mistake leads to inside of a function, instead of the mistake. */
const raw =
  /Cannot |is not a function|is not (async )?iterable|is not a constructor|Invalid (URL|time|array)/;

/** Classes that only the library constructs. They are exported for `instanceof`. */
const constructedInside = new Set([
  "CardError",
  "CardSignatureError",
  "RemoteError",
  "SkillError",
  "TaskStream",
]);

for (const [entryPoint, exported] of Object.entries(entryPoints)) {
  test(`no wrong argument leads to an error of the platform: ${entryPoint}`, async () => {
    const found: string[] = [];
    for (const [name, value] of Object.entries(exported)) {
      if (typeof value !== "function" || constructedInside.has(name)) continue;
      const isClass = /^class\b/.test(Function.prototype.toString.call(value));
      for (const [what, given] of Object.entries(wrong)) {
        try {
          if (isClass) Reflect.construct(value, given);
          else await Reflect.apply(value, undefined, given);
        } catch (error) {
          const { message } = error as Error;
          if (raw.test(message)) found.push(`${name} with ${what}: ${message}`);
        }
      }
    }
    assert.deepEqual(found, []);
  });
}

const any = (value: unknown) => value as never;
const promised = Promise.resolve({ parts: [] });

/** A call with a wrong argument, and the whole message of its error. */
const calls: readonly [call: () => unknown, message: string][] = [
  [
    () => Reflect.apply(root.defineAgent, undefined, []),
    "defineAgent needs { card, execute } or { card, skills }, not undefined",
  ],
  [() => root.skill(any("quote")), "skill needs { id, name, description, tags, execute }, not a string"],
  [
    () => root.artifact(any("answer")),
    'artifact needs options, such as { name: "answer" }, or none, not a string',
  ],
  [() => root.artifact().text(any(undefined)), "A text part needs a string, not undefined"],
  [
    () => root.completed(any(root.textPart("42"))),
    "completed needs a string, a list of parts, or a message with `parts`, not an object",
  ],
  [
    () => root.inputRequired(any(42)),
    "inputRequired needs a string, a list of parts, or a message with `parts`, not a number",
  ],
  [
    () => root.reply(any(undefined)),
    "reply needs a string, a list of parts, or a message with `parts`, not undefined",
  ],
  [() => root.userMessage(any(42)), "A message needs a string or a list of parts, not a number"],
  [() => root.filePart(any(new ArrayBuffer(3))), "A file part needs bytes as a Uint8Array, not an object"],
  [() => root.urlPart(any(new URL("https://example.com"))), "A URL part needs a string, not an object"],
  [
    () => root.textOf(any(undefined)),
    "textOf needs a message or an artifact, which have `parts`, not undefined",
  ],
  [
    () => root.dataOf(any(promised)),
    "dataOf needs a message or an artifact, which have `parts`, not a promise: put `await` before it",
  ],
  [
    () => root.contextMemory(any({})),
    "contextMemory: `create` must be a function that makes the state, not undefined",
  ],
  [
    () => root.defineExtension(any({})),
    'defineExtension needs { uri }, such as "https://example.com/extensions/citations/v1": uri must be a string, not undefined',
  ],
  [
    () => root.routeSkills(any({ plan: "planTrip" })),
    "routeSkills needs executors by skill id, such as { plan: planTrip }: plan must be a function, not a string",
  ],
  [
    () => root.withJsonSchema(any({ type: "object" }), {}),
    "withJsonSchema needs a Standard Schema, as zod, valibot and ArkType make it, not an object",
  ],
  [
    () => new root.A2AError(any("TASK_NOT_FOUN")),
    'A2AError needs a code of the protocol, such as "TASK_NOT_FOUND", not TASK_NOT_FOUN',
  ],
  [
    () => client.basic("alice", any(process.env.NO_SUCH_VARIABLE)),
    "basic needs a user name and a password, not undefined",
  ],
  [
    () => Reflect.apply(client.clientCredentials, undefined, []),
    "clientCredentials needs options with a clientId, not undefined",
  ],
  [() => client.deviceCode(any({})), "deviceCode needs a clientId, not undefined"],
  [() => client.authorizationCode(any({})), "authorizationCode needs a clientId, not undefined"],
  [
    () => new client.CardCache(any(50)),
    "CardCache needs options, such as { entries: 50 }, or none, not a number",
  ],
  [() => Reflect.apply(client.foldTask, undefined, []), "foldTask needs a task, not undefined"],
  [() => new stores.MemoryStore(any(null)), "A store needs options, such as { maxTasks: 10_000 }, not null"],
  [
    () => Reflect.apply(server.jsonWebTokens, undefined, []),
    "jsonWebTokens needs { issuer, audience, keys }, not undefined",
  ],
  [
    () => Reflect.apply(server.oauth2, undefined, []),
    "oauth2 needs { audience }, the id of this agent in the tokens, not undefined",
  ],
  [
    () => Reflect.apply(server.openIdConnect, undefined, []),
    "openIdConnect needs { audience }, the id of this agent in the tokens, not undefined",
  ],
  [
    () => testing.collect(any(undefined)),
    "collect needs a stream, such as client.stream(...), not undefined",
  ],
  [
    () => testing.summarize(any(testing.collect([] as never))),
    "summarize needs the events in a list, as `await collect(stream)` returns them, not a promise: put `await` before it",
  ],
  [
    () => testing.assertStream(any({})),
    "assertStream needs the events in a list, as `await collect(stream)` returns them, not an object",
  ],
  [
    () => testing.scripted(any(root.completed())),
    "scripted needs each turn as a list, such as [completed()], not an object",
  ],
  [
    () => testing.faulty(any(undefined)),
    "faulty needs a function from the number of a request to its faults, not undefined",
  ],
  [
    () => testing.record(any("https://example.com")),
    "record needs a function that sends requests, such as fetch, or nothing, not a string",
  ],
  [
    () => testing.replay(any(testing.record())),
    "replay needs a list of exchanges, such as those of record() or of readRecording(text), not an object",
  ],
  [
    () => testing.writeRecording(any({})),
    "writeRecording needs { agent: { url }, exchanges }: agent must be an object, not undefined",
  ],
  [
    () => Reflect.apply(bridges.adaptAgent, undefined, []),
    "adaptAgent needs an agent with a method `invoke` or `stream`, not undefined",
  ],
  [
    () => bridges.checkSendRequest(any(undefined)),
    "checkSendRequest needs the request of SendMessage, not undefined",
  ],
  [
    () => bridges.checkSendRequest(any({ message: "hi" })),
    "checkSendRequest needs the request of SendMessage: message must be an object, not a string",
  ],
  [
    () => bridges.pageOfTasks(any(promised), {}, "ann"),
    "pageOfTasks needs the tasks of the caller, such as a list, not a promise: put `await` before it",
  ],
  [
    () => bridges.pageOfTasks([any({ id: "t" })], {}, "ann"),
    "pageOfTasks needs tasks with { id, status }: the one at 0 must be a task, not an object",
  ],
  [
    () => bridges.pageOfTasks([any({ id: "t", status: { timestamp: "today" } })], {}, "ann"),
    "pageOfTasks needs tasks with { id, status }: the one at 0 has a status.timestamp that is not a time",
  ],
  [
    () => bridges.pageOfTasks([], any(undefined), "ann"),
    "pageOfTasks needs the request of ListTasks, not undefined",
  ],
  [
    () => bridges.pageOfTasks([], {}, any({ id: "ann" })),
    "pageOfTasks needs the caller as a string, such as call.principal.id, not an object",
  ],
  [
    () => loopback.loopbackRedirect(any({})),
    "loopbackRedirect needs { open }, such as { open: (page) => console.log(page.href) }: open must be a function, not undefined",
  ],
  [
    () => loopback.loopbackRedirect({ open: () => undefined, port: any("8080") }),
    "loopbackRedirect: port must be a whole number from 0 to 65535, not a string",
  ],
  [
    () => loopback.loopbackRedirect({ open: () => undefined, port: 70_000 }),
    "loopbackRedirect: port must be a whole number from 0 to 65535, not 70000",
  ],
  [
    () => testing.storeContract(any({ name: "mine" })),
    "storeContract needs { name, test, open }: test must be a function, not undefined",
  ],
];
test.each(calls)("the error says cause and remedy: %s", async (call, message) => {
  await assert.rejects(async () => call(), { name: "TypeError", message });
});

const agent = root.defineAgent({
  card: { name: "Echo", description: "Repeats your text." },
  execute: async ({ text }) => root.reply(text),
});
const nowhere = "http://127.0.0.1:1";

/** A wrong value of an option of `connect`, and the words after its name. */
const options: readonly [name: keyof client.ConnectOptions, value: unknown, words: string][] = [
  ["agent", "", "the name of an agent as a string"],
  ["cache", true, "a CardCache"],
  ["bindings", "JSONRPC", 'a list of at least one binding, such as ["JSONRPC"]'],
  ["versions", "1.0", "a list of at least one version, each a string"],
  ["origins", "https://a.example", 'a list, such as ["https://agents.example.com"]'],
  ["extensions", "urn:x", 'a list of URIs, such as ["https://example.com/extensions/citations/v1"]'],
  ["interceptors", () => 0, "a list, such as [{ before: (call) => console.log(call.operation) }]"],
  [
    "credentials",
    "token",
    "an object, such as { bearer: token }, with the names of the schemes in the card, or a function",
  ],
  ["headers", new Headers(), 'an object, such as { "X-Team": "planning" }'],
  ["fetch", nowhere, "a function such as globalThis.fetch"],
  ["logger", true, "an object with the methods debug, info, warn and error, such as pino() or console"],
  ["signal", new AbortController(), "an AbortSignal, such as controller.signal"],
  ["timeouts", 60, "an object"],
  ["timeouts", false, "an object"],
  ["retry", true, "an object or false"],
];
test.each(options)("the error says the remedy: the client's option `%s`", async (name, value, words) => {
  const message = `${name} must be ${words}`;
  await assert.rejects(client.connect(nowhere, { [name]: value }), { code: "INVALID_OPTION", message });
});

test("the error says cause and remedy: options that are no object", async () => {
  await assert.rejects(server.serve(agent, any(4000)), {
    message: "serve needs options, such as { port: 4000 }, or none, not a number",
  });
  assert.throws(() => server.createApp(agent, any(null)), {
    message: 'A server needs options, such as { cors: "*" }, or none, not null',
  });
  await assert.rejects(client.connect(nowhere, any(null)), {
    message: "connect needs options, such as { timeouts: { total: 60 } }, or none, not null",
  });
});

test("the error says cause and remedy: a client's method without its task or skill", async (t) => {
  const tested = await testing.testAgent(agent);
  t.onTestFinished(() => tested.close());
  // An agent that answers with a message has made no task.
  const { task } = await tested.client.sendText("hello");
  assert.equal(task, undefined);
  assert.throws(() => tested.client.reply(any(task), "Lisbon"), {
    message: "reply needs the task that it answers, not undefined",
  });
  assert.throws(() => tested.client.waitForTask(any(task)), {
    message: "waitForTask needs a task or its id, not undefined",
  });
  assert.throws(() => tested.client.skill(any(undefined)), {
    message: "skill needs the id of a skill, or its definition, not undefined",
  });
});
