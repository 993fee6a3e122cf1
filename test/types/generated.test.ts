import assert from "node:assert/strict";
import { test } from "vitest";
import type { ErrorCode } from "../../generated/v1.0/errors.js";
import type { Message, Part, ProtocolTypes, StreamResponse, Task } from "../../generated/v1.0/models.js";
import type { OperationName, OperationTypes } from "../../generated/v1.0/operations.js";
import type { paths } from "../../generated/v1.0/rest.js";
import { isPart } from "../../generated/v1.0/validators.js";
import { type A2AHandler, ClientStub } from "../../src/protocol/operations.js";
import { UnimplementedHandler } from "../../src/protocol/unimplemented-handler.js";

/** Compiles only when `Left` and `Right` are the same type. */
type Same<Left, Right> =
  (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;

function claim<True extends true>(_claim?: True): void {}

/** The kind of a part, found by narrowing alone: each branch knows its member. */
function describePart(part: Part): string {
  if (part.text !== undefined) {
    claim<Same<typeof part.text, string>>();
    claim<Same<typeof part.url, undefined>>();
    return `text ${part.text.length}`;
  }
  if (part.raw !== undefined) return `raw ${part.raw.length}`;
  if (part.url !== undefined) return `url ${part.url.length}`;
  claim<Same<typeof part.data, unknown>>();
  return "data";
}

/** The event of a stream response; the last line compiles only when no event is left. */
function describeEvent(event: StreamResponse): string {
  if (event.task !== undefined) return event.task.id;
  if (event.message !== undefined) return event.message.messageId;
  if (event.statusUpdate !== undefined) return event.statusUpdate.status.state;
  if (event.artifactUpdate !== undefined) return event.artifactUpdate.artifact.artifactId;
  const rest: never = event;
  return rest;
}

test("a part is told apart by its member", () => {
  assert.equal(describePart({ data: null }), "data");
  assert.equal(describePart({ raw: "AA==" }), "raw 4");
  assert.equal(describePart({ url: "https://example.com" }), "url 19");
  assert.equal(describePart({ text: "" }), "text 0");
});

test("a stream response is told apart by its member, and no branch is left over", () => {
  assert.equal(describeEvent({ task: { id: "t", status: { state: "TASK_STATE_WORKING" } } }), "t");
  assert.equal(
    describeEvent({ message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "" }] } }),
    "m",
  );
});

test("what breaks a type does not compile", () => {
  // @ts-expect-error two members of a group
  const both: Part = { text: "a", url: "b" };
  // @ts-expect-error no member of a group
  const none: Part = { mediaType: "text/plain" };
  // @ts-expect-error an unknown member
  const unknown: Part = { text: "a", kind: "text" };
  // @ts-expect-error a required member is missing
  const message: Message = { role: "ROLE_USER", parts: [] };
  // @ts-expect-error a name that the enum does not have
  const task: Task = { id: "t", status: { state: "working" } };
  // @ts-expect-error a code that the table does not have
  const code: ErrorCode = "TASK_MISSING";
  assert.equal([both, none, unknown, message, task, code].length, 6);
});

test("a guard narrows", () => {
  const value: unknown = { text: "a" };
  assert.ok(isPart(value));
  claim<Same<typeof value, Part>>();
  assert.equal(isPart.errors ?? null, null);
});

test("types are found by their names, and operations by theirs", () => {
  claim<Same<ProtocolTypes["Part"], Part>>();
  claim<Same<OperationTypes["GetTask"]["response"], Task>>();
  claim<Same<OperationTypes["DeleteTaskPushNotificationConfig"]["response"], null>>();
  claim<Same<OperationTypes["SendStreamingMessage"]["streaming"], true>>();
  claim<Same<OperationName, keyof OperationTypes>>();
  claim<Same<paths["/tasks/{id}"]["get"]["parameters"]["path"], { id: string }>>();
});

test("a handler that lacks a method does not compile; one that extends the base does", async () => {
  // @ts-expect-error every operation but one is missing
  const partial: A2AHandler = { getTask: async () => ({ id: "t", status: { state: "TASK_STATE_WORKING" } }) };
  class OnlyGet extends UnimplementedHandler<{ readonly caller: string }> {
    override async getTask(request: { id: string }, call: { readonly caller: string }): Promise<Task> {
      return { id: request.id, status: { state: "TASK_STATE_WORKING" }, metadata: { caller: call.caller } };
    }
  }
  const handler: A2AHandler<{ readonly caller: string }> = new OnlyGet();
  assert.equal((await handler.getTask({ id: "t" }, { caller: "me" })).metadata?.caller, "me");
  assert.ok(partial);
});

test("a client stub passes the name of the operation, the request and the options to its transport", async () => {
  class Recorder extends ClientStub<{ readonly signal?: AbortSignal }> {
    readonly calls: unknown[] = [];
    protected override async callUnary<Name extends OperationName>(
      ...call: [Name, unknown, unknown?]
    ): Promise<never> {
      this.calls.push(call);
      throw new Error("no transport");
    }
    protected override callStream<Name extends OperationName>(
      ...call: [Name, unknown, unknown?]
    ): AsyncIterable<never> {
      this.calls.push(call);
      return { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }) };
    }
  }
  const client = new Recorder();
  await assert.rejects(client.getTask({ id: "t" }, {}));
  for await (const _event of client.subscribeToTask({ id: "t" })) assert.fail("the stream is empty");
  assert.deepEqual(client.calls, [
    ["GetTask", { id: "t" }, {}],
    ["SubscribeToTask", { id: "t" }, undefined],
  ]);
});
