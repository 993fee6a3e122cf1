import assert from "node:assert/strict";
import { test } from "vitest";
import {
  type AgentDefinition,
  artifact,
  completed,
  defineAgent,
  defineExtension,
  type Executor,
  type Extension,
  type Metadata,
  reply,
  type Update,
  UpdateRefused,
  working,
} from "../../src/index.js";
import { gate, onBoth } from "../support/both.js";
import { plainCard, serveExecutor, serveFor, text } from "../support/peer.js";

const uri = "https://example.com/extensions/priority/v1";
const schema = {
  type: "object",
  required: ["level"],
  properties: { level: { type: "integer", maximum: 3 }, note: { type: "string", pattern: "^[a-z ]*$" } },
};
const priority = defineExtension<{ level: number }>({ uri, description: "Order of work", metadata: schema });
const plain = defineExtension({ uri: "https://example.com/extensions/plain/v1" });
const on = { "A2A-Extensions": uri };

/** Says what level it was given. */
const level: Executor = ({ message, call }) =>
  reply(priority.isActive(call) ? `level ${priority.read(message)?.level}` : "no level");

/** A message with metadata in all places where it can be. */
function marked(at: "request" | "message" | "part", metadata: Metadata) {
  if (at === "request") return text("go", { metadata });
  if (at === "message") return text("go", { message: { metadata } });
  return text("go", { message: { parts: [{ text: "a" }, { text: "b", metadata }] } });
}

const extensions: Partial<AgentDefinition> = { extensions: [priority, plain] };

test("EXT-01: extensions of an agent are in its card, behind those that the card has itself", async (t) => {
  const own = { uri: "https://example.com/extensions/own/v1", params: { a: 1 } };
  const card = { ...plainCard, capabilities: { extensions: [own] } };
  const { url } = await serveFor(t, defineAgent({ card, execute: level, extensions: [priority, plain] }));
  const served: any = await (await fetch(`${url}/.well-known/agent-card.json`)).json();
  assert.deepEqual(served.capabilities.extensions, [
    own,
    { uri, description: "Order of work" },
    { uri: plain.uri },
  ]);
  assert.equal(served.capabilities.streaming, true);
});

onBoth(
  "EXT-02, EXT-06: an extension is on for the call that asks for it",
  level,
  async (peer) => {
    const asked = await peer.call("SendMessage", marked("message", priority.write({ level: 2 })), on);
    assert.equal(asked.result.message.parts[0].text, "level 2");
    assert.equal(asked.response.headers.get("a2a-extensions"), uri);
    const other = await peer.call("SendMessage", marked("message", priority.write({ level: 2 })));
    assert.equal(other.result.message.parts[0].text, "no level");
  },
  extensions,
);

onBoth(
  "EXT-18: data of an active extension is checked wherever it is, and the fault is named",
  level,
  async (peer) => {
    const places = { request: "metadata", message: "message.metadata", part: "message.parts[1].metadata" };
    for (const [at, path] of Object.entries(places)) {
      const send = (value: unknown, key = uri) =>
        peer.call("SendMessage", marked(at as keyof typeof places, { [key]: value }), on);
      for (const [value, field] of [
        [{}, ".level"],
        [{ level: "high" }, ".level"],
        [{ level: 4 }, ".level"],
        [{ level: 1, note: "A" }, ".note"],
        [7, ""],
      ] as const) {
        const refused = await send(value);
        assert.equal(refused.error, "INVALID_PARAMS");
        assert.deepEqual(refused.fields, [`${path}["${uri}"]${field}`]);
      }
      assert.deepEqual((await send(7, `${uri}/more`)).fields, [`${path}["${uri}/more"]`]);
      assert.equal((await send({ level: 3 })).error, undefined);
      assert.equal((await send(7, `${uri}0`)).error, undefined);
    }
    const refused = await peer.call("SendMessage", marked("message", { [uri]: { level: 1, note: "A" } }), on);
    assert.match(refused.message ?? "", /must match pattern/);
  },
  extensions,
);

onBoth(
  "EXT-02, EXT-05: data of extensions that are off, unknown or without a schema is left alone",
  ({ message }) => reply([{ data: message.metadata }]),
  async (peer) => {
    const metadata = { [uri]: "high", [plain.uri]: 7, "https://example.com/unknown/v1": [], other: null };
    const headers = { "A2A-Extensions": `${plain.uri}, https://example.com/unknown/v1` };
    for (const asked of [{}, headers]) {
      const { result } = await peer.call("SendMessage", marked("message", metadata), asked);
      assert.deepEqual(result.message.parts[0].data, metadata);
    }
  },
  extensions,
);

test("EXT-18: the check comes before the task is looked up, and a refused message leaves no trace", async (t) => {
  const { open, opened } = gate();
  const execute: Executor = async function* () {
    yield working();
    await opened;
  };
  const { rpc } = await serveExecutor(t, execute, {}, extensions);
  const begun = await rpc.call("SendMessage", text("go", { configuration: { returnImmediately: true } }), on);
  const { id } = begun.result.task;
  const wrong = { metadata: { [uri]: {} } };
  const follow = await rpc.call("SendMessage", text("more", { message: { taskId: id, ...wrong } }), on);
  assert.equal(follow.error, "INVALID_PARAMS");
  const nobody = await rpc.call("SendMessage", text("more", { message: { taskId: "nobody", ...wrong } }), on);
  assert.equal(nobody.error, "INVALID_PARAMS");
  const cancel = await rpc.call("CancelTask", { id, ...wrong }, on);
  assert.deepEqual([cancel.error, cancel.fields], ["INVALID_PARAMS", [`metadata["${uri}"].level`]]);
  const { result } = await rpc.call("GetTask", { id });
  assert.deepEqual([result.status.state, result.history.length], ["TASK_STATE_WORKING", 1]);
  assert.equal(
    (await rpc.call("CancelTask", { id, metadata: priority.write({ level: 1 }) }, on)).error,
    undefined,
  );
  open();
});

const bad = { [uri]: { level: 9 } };
const refusedUpdates: Record<string, Update> = {
  'statusUpdate.metadata["': { statusUpdate: { status: { state: "TASK_STATE_WORKING" }, metadata: bad } },
  'statusUpdate.status.message.metadata["': working({ parts: [{ text: "a" }], metadata: bad }),
  'statusUpdate.status.message.parts[0].metadata["': working([{ text: "a", metadata: bad }]),
  'artifactUpdate.metadata["': {
    artifactUpdate: { artifact: { artifactId: "a", parts: [] }, metadata: bad },
  },
  'artifactUpdate.artifact.metadata["': artifact({ metadata: bad }).text("a"),
  'artifactUpdate.artifact.parts[0].metadata["': artifact().text("a", { metadata: bad }),
  'message.metadata["': reply({ parts: [{ text: "a" }], metadata: bad }),
};

test("EXT-18: data that an executor yields for an active extension is checked where it is yielded", async (t) => {
  const caught: unknown[] = [];
  const execute: Executor = async function* () {
    for (const update of Object.values(refusedUpdates)) {
      try {
        yield update;
        caught.push(undefined);
      } catch (error) {
        caught.push(error);
      }
    }
    yield completed();
  };
  const { rpc } = await serveExecutor(t, execute, {}, extensions);
  const { result } = await rpc.call("SendMessage", text("go"), on);
  assert.equal(result.task.status.state, "TASK_STATE_COMPLETED");
  assert.equal("artifacts" in result.task, false);
  for (const [index, path] of Object.keys(refusedUpdates).entries()) {
    const error = caught[index];
    assert.ok(error instanceof UpdateRefused, path);
    assert.ok(error.message.startsWith(`${path}${uri}"].level must be at most 3`), error.message);
  }
});

test("EXT-02: what an executor yields for an extension that is off is sent as it is", async (t) => {
  const execute: Executor = async function* () {
    yield artifact({ metadata: bad }).text("a");
  };
  const { rpc } = await serveExecutor(t, execute, {}, extensions);
  const { result } = await rpc.call("SendMessage", text("go"));
  assert.deepEqual(result.task.artifacts[0].metadata, bad);
});

test("an extension whose URI begins with another's keeps its data to itself", async (t) => {
  const below = defineExtension({ uri: `${uri}/below`, metadata: { type: "string" } });
  const execute: Executor = ({ message }) => reply([{ data: below.read(message) ?? null }]);
  const { rpc } = await serveExecutor(t, execute, {}, { extensions: [priority, below] });
  const both = { "A2A-Extensions": `${uri}, ${below.uri}` };
  const { result } = await rpc.call("SendMessage", marked("message", below.write("a")), both);
  assert.equal(result.message.parts[0].data, "a");
  const refused = await rpc.call("SendMessage", marked("message", below.write(1)), both);
  assert.deepEqual(refused.fields, [`message.metadata["${below.uri}"]`]);
});

test("EXT-08: an extension that is required is demanded", async (t) => {
  const needed = defineExtension({ uri, required: true });
  const { rpc } = await serveExecutor(t, level, {}, { extensions: [needed] });
  assert.equal((await rpc.call("SendMessage", text("go"))).error, "EXTENSION_SUPPORT_REQUIRED");
  assert.equal((await rpc.call("SendMessage", text("go"), on)).error, undefined);
});

test("what is wrong with an extension keeps the server from starting", async (t) => {
  const start = (list: Extension[], card = plainCard) =>
    serveFor(t, defineAgent({ card, execute: level, extensions: list }));
  const broken = defineExtension({ uri, metadata: { type: "number", maximum: "high" } });
  await assert.rejects(start([broken]), { name: "TypeError", message: new RegExp(`${uri} cannot be used`) });
  await assert.rejects(start([priority, defineExtension({ uri })]), /declared twice/);
  const card = { ...plainCard, capabilities: { extensions: [{ uri }] } };
  await assert.rejects(start([priority], card), /declared twice/);
});
