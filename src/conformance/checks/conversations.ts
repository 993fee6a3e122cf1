import { needs } from "../capability.js";
import type { BindingCheck, Subject } from "../check.js";
import { assert, canceled, isRefused, refused, result, same, streaming } from "../expect.js";
import { at, listAt, textAt, type Unchecked } from "../json.js";
import { resultWhileRunning, subscribed } from "../running-task.js";
import { hasEnded, readStream, stateOf } from "../streams.js";
import { Inconclusive } from "../verdict.js";
import { otherOf } from "./bindings.js";

/** Sends the next message to a task, with the text that provoked its scenario. */
async function next(
  { peer, scenarios }: Subject,
  scenario: "input-required" | "auth-required",
  task: Unchecked,
) {
  const taskId = textAt(task, "id");
  return peer.call("SendMessage", await scenarios.params(scenario, { message: { taskId } }));
}

const ids = (tasks: readonly Unchecked[]): readonly string[] => tasks.map((task) => textAt(task, "id"));

/** Checks of messages, tasks and contexts (§3.4), and of what a send waits for. */
export const conversationChecks: readonly BindingCheck[] = [
  {
    ids: ["TASK-09", "OP-SEND-02"],
    claim: "a task that waits for input accepts the next message",
    async run(subject) {
      const task = await subject.scenarios.task("input-required");
      same(at(result(await next(subject, "input-required", task)), "task", "id"), at(task, "id"), "the task");
    },
  },
  {
    ids: ["INTASK-06"],
    claim: "a task that waits for authorization accepts messages",
    async run(subject) {
      const task = await subject.scenarios.task("auth-required");
      same(at(result(await next(subject, "auth-required", task)), "task", "id"), at(task, "id"), "the task");
    },
  },
  {
    ids: ["INTASK-04"],
    claim: "a subscription stays open while its task waits for authorization, and receives what follows",
    async run(subject) {
      needs(subject, "streaming");
      const task = await subject.scenarios.task("auth-required");
      const stream = streaming(await subject.peer.open("SubscribeToTask", { id: textAt(task, "id") }));
      const events = readStream(stream);
      const state = textAt(result(await next(subject, "auth-required", task)), "task", "status", "state");
      if (!hasEnded(state)) {
        stream.close();
        throw new Inconclusive("the task did not end with the next message");
      }
      same(stateOf((await events).at(-1)?.value), state, "the last state of the stream");
    },
  },
  {
    ids: ["TASK-07"],
    claim: "a rejected task has ended",
    async run({ peer, scenarios }) {
      const id = textAt(await scenarios.task("rejected"), "id");
      same(
        at(result(await peer.call("GetTask", { id })), "status", "state"),
        "TASK_STATE_REJECTED",
        "the state",
      );
      refused(await peer.call("CancelTask", { id }), "TASK_NOT_CANCELABLE");
    },
  },
  {
    ids: ["TASK-11", "TASK-12"],
    claim: "a message to a running task is accepted and added to its history",
    async run({ peer, scenarios }) {
      const taskId = textAt(await scenarios.task("working"), "id");
      const { message } = await scenarios.params("completed", { message: { taskId } });
      const more = { configuration: { returnImmediately: true } };
      const answer = await peer.call("SendMessage", { message, ...more });
      await resultWhileRunning(peer, taskId, answer, "the send");
      const history = listAt(result(await peer.call("GetTask", { id: taskId })), "history");
      const recorded = history.map((one) => textAt(one, "messageId"));
      assert(recorded.includes(message.messageId), "the message is not in the history");
    },
  },
  {
    ids: ["TASK-16"],
    claim: "two tasks of one context run at the same time",
    async run({ peer, scenarios }) {
      const contextId = crypto.randomUUID();
      const first = await scenarios.task("working", { message: { contextId } });
      const second = await scenarios.task("working", { message: { contextId } });
      const page = result(await peer.call("ListTasks", { contextId }), "the list");
      same(
        [...ids(listAt(page, "tasks"))].sort(),
        [...ids([first, second])].sort(),
        "the tasks of the context",
      );
    },
  },
  {
    ids: ["TURN-04"],
    claim: "a task whose caller names no context gets one",
    async run({ scenarios }) {
      assert(textAt(await scenarios.task("completed"), "contextId") !== "", "there is no contextId");
    },
  },
  {
    ids: ["TURN-07", "TURN-08"],
    claim: "a context id that the caller chose is accepted, or refused with INVALID_PARAMS",
    async run({ peer, scenarios }) {
      const contextId = `parley-${crypto.randomUUID()}`;
      const answer = await peer.call(
        "SendMessage",
        await scenarios.params("completed", { message: { contextId } }),
      );
      if (isRefused(answer, "INVALID_PARAMS")) return;
      same(at(result(answer), "task", "contextId"), contextId, "the context");
    },
  },
  {
    ids: ["OBJT-07"],
    claim: "the metadata of a message is stored unchanged",
    async run({ peer, scenarios }) {
      const metadata = { "https://example.com/parley": { list: [1, "two", null], "empty ": {} } };
      const id = textAt(await scenarios.task("completed", { message: { metadata } }), "id");
      const [first] = listAt(result(await peer.call("GetTask", { id })), "history");
      same(at(first, "metadata"), metadata, "the metadata");
    },
  },
  {
    ids: ["OP-SEND-23"],
    claim: "a blocking send returns the task with all of its artifacts",
    async run({ peer, scenarios }) {
      const task = await scenarios.task("artifact");
      const now = result(await peer.call("GetTask", { id: textAt(task, "id") }), "the task");
      same(at(task, "artifacts"), at(now, "artifacts"), "the artifacts");
    },
  },
  {
    ids: ["OP-STREAM-11"],
    claim: "returnImmediately has no effect on a stream",
    async run(subject) {
      needs(subject, "streaming");
      const params = await subject.scenarios.params("artifact", {
        configuration: { returnImmediately: true },
      });
      const events = await readStream(await subject.peer.open("SendStreamingMessage", params));
      assert(hasEnded(stateOf(events.at(-1)?.value)), "the stream ended before the task did");
    },
  },
  {
    ids: ["STR-05"],
    claim: "two streams of one task both receive its end",
    async run(subject) {
      needs(subject, "streaming");
      const { peer, scenarios } = subject;
      const id = textAt(await scenarios.task("working"), "id");
      const both = [await subscribed(peer, id), await subscribed(peer, id)].map(readStream);
      canceled(await peer.call("CancelTask", { id }));
      for (const events of await Promise.all(both))
        same(stateOf(events.at(-1)?.value), "TASK_STATE_CANCELED", "the last state");
    },
  },
  {
    ids: ["BIND-03"],
    claim: "a stream over one binding receives what happens over another",
    async run(subject) {
      needs(subject, "streaming");
      const id = textAt(await subject.scenarios.task("working"), "id");
      const events = readStream(await subscribed(subject.peer, id));
      canceled(await otherOf(subject).call("CancelTask", { id }));
      same(stateOf((await events).at(-1)?.value), "TASK_STATE_CANCELED", "the last state");
    },
  },
  {
    ids: ["TEN-10"],
    claim: "an empty tenant counts as no tenant",
    async run({ peer, scenarios }) {
      const id = textAt(await scenarios.task("completed"), "id");
      same(at(result(await peer.call("GetTask", { id, tenant: "" })), "id"), id, "the task");
    },
  },
];
