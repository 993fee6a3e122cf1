import assert from "node:assert/strict";
import { test } from "vitest";
import { A2AError } from "../../../src/protocol/errors.js";
import type { StreamResponse, Task } from "../../../src/protocol/model.js";
import { tag } from "../../../src/task-log/log.js";
import { loadCodecs } from "../../../src/versions/codecs.js";
import { codec as released } from "../../../src/versions/v1.0/codec.js";
import { clientCodec } from "../../../src/versions/v1.1-draft/client-codec.js";
import { codec } from "../../../src/versions/v1.1-draft/codec.js";
import { readContract, readSchema } from "../../schema/read-contract.js";

type Json = any;

const task: Task = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } };
const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }], taskId: "t" };

test("GEN-01, GEN-02, GEN-04, GEN-07: the schema has what the draft adds to 1.0, with its numbers and types, and nothing else", () => {
  const draft = readSchema("1.1-draft");
  const before = readContract("1.0");
  const added: Record<string, unknown> = {};
  for (const [name, { properties = {} }] of Object.entries(draft.schema.$defs)) {
    const known = before.schema.$defs[name]?.properties ?? {};
    for (const [member, shape] of Object.entries(properties)) {
      const { "x-number": number, type, format, "x-presence": presence } = shape as Json;
      if (!(member in known)) added[`${name}.${member}`] = [number, type, format, presence];
    }
  }
  assert.deepEqual(added, {
    "SendMessageConfiguration.ifGenerationMatch": [5, "string", "int64", "explicit"],
    "Task.generation": [7, "string", "int64", undefined],
    "TaskStatusUpdateEvent.generation": [5, "string", "int64", undefined],
    "TaskArtifactUpdateEvent.generation": [7, "string", "int64", undefined],
    "GetTaskRequest.currentGeneration": [4, "string", "int64", "explicit"],
  });
  assert.deepEqual(Object.keys(draft.schema.$defs), Object.keys(before.schema.$defs));
  assert.deepEqual(
    draft.operations.operations.map(({ name, method, http }) => ({ name, method, http })),
    before.operations.operations.map(({ name, method, http }) => ({ name, method, http })),
  );
});

test("GEN-15: the error has its numbers and its metadata in each binding", () => {
  const metadata = { taskId: "t", expectedGeneration: "3", currentGeneration: "5" };
  const error = new A2AError("TASK_GENERATION_MISMATCH", undefined, { metadata });
  const detail = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: "TASK_GENERATION_MISMATCH",
    domain: "a2a-protocol.org",
    metadata,
  };
  const text = "The task has changed";
  assert.deepEqual(codec.encodeError(error), { code: -32010, message: text, data: [detail] });
  const body = { error: { code: 409, status: "ABORTED", message: text, details: [detail] } };
  assert.deepEqual(codec.encodeHttpError(error), body);
});

test("GEN-15: versions before have another error in its place", async () => {
  const error = new A2AError("TASK_GENERATION_MISMATCH");
  const codecs = await loadCodecs();
  const expected = { "1.0": -32010, "1.1-draft": -32010, "0.3": -32600, "0.1-flat": -32010, "0.1": -32600 };
  for (const [version, code] of Object.entries(expected)) {
    assert.equal(codecs.get(version)?.encodeError(error).code, code, version);
  }
});

test("GEN-17: generations are written as strings, and read as strings or numbers, in both spellings", () => {
  for (const ifGenerationMatch of ["7", 7]) {
    const request: Json = codec.decodeRequest("SendMessage", {
      message,
      configuration: { ifGenerationMatch },
    });
    assert.equal(request.configuration.ifGenerationMatch, "7");
  }
  const polled: Json = codec.decodeRequest("GetTask", { id: "t", current_generation: 7 });
  assert.equal(polled.currentGeneration, "7");
  for (const wrong of ["seven", 1.5, true, "9223372036854775808"]) {
    assert.throws(
      () => codec.decodeRequest("GetTask", { id: "t", currentGeneration: wrong }),
      /currentGeneration/,
    );
  }
  const answer: Json = clientCodec.decodeResponse("GetTask", { ...task, generation: 7 } as Json);
  assert.equal(answer.generation, "7");
  const update = { taskId: "t", contextId: "c", status: task.status };
  const event: Json = clientCodec.decodeEvent({ statusUpdate: { ...update, generation: 8 } });
  assert.equal(event.statusUpdate.generation, "8");
});

test("GEN-17: the client writes generations as strings, also those that are numbers", () => {
  for (const generation of ["7", 7]) {
    const configuration = { ifGenerationMatch: generation };
    const sent: Json = clientCodec.encodeRequest("SendMessage", { message, configuration } as Json);
    assert.equal(sent.configuration.ifGenerationMatch, "7");
    const polled: Json = { id: "t", currentGeneration: generation };
    assert.deepEqual(clientCodec.encodeRequest("GetTask", polled), { id: "t", currentGeneration: "7" });
  }
});

test("GEN-02, GEN-13: events have their place in the log, in streams and webhooks of the draft only", () => {
  const update = { taskId: "t", contextId: "c" };
  const artifact = { artifactId: "a", parts: [{ text: "x" }] };
  for (const [event, member] of [
    [{ task }, "task"],
    [{ statusUpdate: { ...update, status: task.status } }, "statusUpdate"],
    [{ artifactUpdate: { ...update, artifact } }, "artifactUpdate"],
  ] as const) {
    const counted = tag({ ...event } as StreamResponse, 4);
    for (const text of [
      codec.eventWriter("SubscribeToTask")(counted),
      codec.notification.encode(counted, undefined),
      JSON.stringify(codec.grpc?.eventEncoder("SubscribeToTask")(counted)),
    ]) {
      assert.equal(JSON.parse(text)[member].generation, "4");
    }
    assert.equal(JSON.parse(released.eventWriter("SubscribeToTask")(counted))[member].generation, undefined);
    // An event of a handler that keeps no log is written as it is. Texts are cached, so this is another one.
    const own = structuredClone(event) as StreamResponse;
    assert.deepEqual(JSON.parse(codec.eventWriter("SubscribeToTask")(own)), event);
  }
  const reply = tag({ message } as StreamResponse, 1);
  assert.deepEqual(JSON.parse(codec.eventWriter("SendStreamingMessage")(reply)), { message });
});

test("GEN-13, GEN-18: queries of the draft have its members, and those of the released version do not", () => {
  const query = (one: typeof codec) =>
    one.routes.find(({ operation, verb }) => operation.name === "GetTask" && verb === "GET")?.fields;
  assert.ok(query(codec)?.some(({ name, kind }) => name === "currentGeneration" && kind === "int64"));
  assert.ok(!query(released as Json)?.some(({ name }) => name === "currentGeneration"));
});
