import assert from "node:assert/strict";
import { test } from "vitest";
import type * as older from "../../generated/v0.3/index.js";
import type { A2AHandler } from "../../src/bridges/index.js";
import type { Client } from "../../src/client/index.js";
import {
  type AgentCard,
  type Executor,
  isInterrupted,
  isRole,
  isTaskState,
  isTerminal,
  type ListTasksRequest,
  type Message,
  type Metadata,
  type Open,
  type Part,
  type Received,
  type SendMessageRequest,
  type SendMessageResponse,
  type StreamResponse,
  type Task,
  type TaskState,
  type TaskStatus,
  type Timestamp,
  textPart,
  type UnrecognizedEnumValue,
  userMessage,
} from "../../src/index.js";

/** Compiles only when `Left` and `Right` are the same type. */
type Same<Left, Right> =
  (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;

function claim<True extends true>(_claim?: True): void {}

const newer = "TASK_STATE_PAUSED" as UnrecognizedEnumValue;
const task: Received<Task> = { id: "t", status: { state: newer } };

/** Knows every state; the last line compiles only while none is left over. */
function isWaiting(state: Open<TaskState>): boolean {
  switch (state) {
    case "TASK_STATE_INPUT_REQUIRED":
    case "TASK_STATE_AUTH_REQUIRED":
      return true;
    case "TASK_STATE_UNSPECIFIED":
    case "TASK_STATE_SUBMITTED":
    case "TASK_STATE_WORKING":
    case "TASK_STATE_COMPLETED":
    case "TASK_STATE_FAILED":
    case "TASK_STATE_CANCELED":
    case "TASK_STATE_REJECTED":
      return false;
    default: {
      const other: UnrecognizedEnumValue = state;
      return String(other).endsWith("REQUIRED");
    }
  }
}

/** Omits a state, which the compiler reports. */
function omitsOne(state: Open<"TASK_STATE_WORKING" | "TASK_STATE_COMPLETED">): string {
  switch (state) {
    case "TASK_STATE_WORKING":
      return "working";
    default: {
      // @ts-expect-error COMPLETED is left over too
      const other: UnrecognizedEnumValue = state;
      return String(other);
    }
  }
}

test("enums in what is sent are closed, and those in what is received are open", () => {
  claim<Same<SendMessageRequest["message"]["role"], "ROLE_UNSPECIFIED" | "ROLE_USER" | "ROLE_AGENT">>();
  claim<Same<NonNullable<ListTasksRequest["status"]>, TaskState>>();
  claim<Same<Parameters<Executor>[0]["message"], Message>>();
  claim<Same<Awaited<ReturnType<Client["getTask"]>>, Received<Task>>>();
  claim<Same<Awaited<ReturnType<Client["sendText"]>>, Received<SendMessageResponse>>>();
  claim<Same<Received<Task>["status"], Received<TaskStatus>>>();
  claim<Same<Received<Task>["status"]["state"], Open<TaskState>>>();
  claim<Same<NonNullable<Received<Task>["history"]>, Received<Message>[]>>();
  claim<Same<Awaited<ReturnType<A2AHandler["getTask"]>>, Received<Task>>>();
  claim<Same<older.Received<older.Task>["status"]["state"], older.Open<older.TaskState>>>();
  // @ts-expect-error what was received may have a state that cannot be sent
  const closed: Task = task;
  // @ts-expect-error the version does not define this name
  const open: Received<Task> = { id: "t", status: { state: "TASK_STATE_PAUSED" } };
  // @ts-expect-error nor a number
  const numbered: Received<Task> = { id: "t", status: { state: 12 } };
  assert.deepEqual([closed.id, open.id, numbered.id], ["t", "t", "t"]);
});

test("types without an enum stay as they are, and so does what is absent", () => {
  claim<Same<NonNullable<Received<Task>["artifacts"]>, NonNullable<Task["artifacts"]>>>();
  claim<Same<Received<Task>["metadata"], Metadata | undefined>>();
  claim<Same<Received<Message>["parts"], Part[]>>();
  claim<Same<NonNullable<Received<TaskStatus>["timestamp"]>, Timestamp>>();
  claim<Same<Awaited<ReturnType<Client["getExtendedAgentCard"]>>, AgentCard>>();
  claim<Same<NonNullable<Received<ListTasksRequest>["status"]>, Open<TaskState>>>();
});

test("an event is told apart by its member, and no branch is left over", () => {
  function kindOf(event: Received<StreamResponse>): string {
    if (event.task !== undefined) return event.task.id;
    if (event.message !== undefined) return event.message.messageId;
    if (event.statusUpdate !== undefined) return event.statusUpdate.taskId;
    if (event.artifactUpdate !== undefined) return event.artifactUpdate.artifact.artifactId;
    const rest: never = event;
    return rest;
  }
  assert.equal(kindOf({ task }), "t");
});

test("a switch over what was received may be exhaustive, and then names every state", () => {
  assert.deepEqual([isWaiting("TASK_STATE_AUTH_REQUIRED"), isWaiting(newer)], [true, false]);
  assert.equal(omitsOne("TASK_STATE_COMPLETED"), "TASK_STATE_COMPLETED");
});

test("a guard makes a value of an open enum one of the closed enum", () => {
  const { state } = task.status;
  const words: Partial<Record<TaskState, string>> = {};
  // @ts-expect-error a table has no row for a value that the version does not define
  assert.equal(words[state], undefined);
  assert.equal(isTaskState(state) ? words[state] : "unknown", "unknown");
  assert.deepEqual(["TASK_STATE_WORKING", "working", 2, undefined].map(isTaskState), [
    true,
    false,
    false,
    false,
  ]);
  assert.deepEqual(["ROLE_AGENT", "ROLE_ROBOT"].map(isRole), [true, false]);
});

test("the state of an unknown task is neither ended nor interrupted", () => {
  for (const state of [newer, 12 as UnrecognizedEnumValue])
    assert.deepEqual([isTerminal(state), isInterrupted(state)], [false, false]);
});

test("parts that were received are sent on, and executors give back the message that they got", () => {
  const parts = (answer: Received<Task>): Part[] => answer.artifacts?.flatMap((one) => one.parts) ?? [];
  const sent: Message = userMessage([...parts(task), textPart("and this")]);
  const echo: Executor = async ({ message }) => ({ message });
  // @ts-expect-error a role that was received may be none that can be sent
  const request: SendMessageRequest = { message: task.history?.[0] ?? sent };
  assert.deepEqual([sent.parts.length, typeof echo, request.message], [1, "function", sent]);
});
