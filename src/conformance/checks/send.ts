import { isMessage, isSendMessageResponse, isTask } from "../../protocol/model.js";
import type { BindingCheck, Subject } from "../check.js";
import { assert, refused, refusedSomehow, result, same, valid } from "../expect.js";
import { at, excerptOf, listAt, textAt, type Unchecked } from "../json.js";
import { Inconclusive } from "../verdict.js";

const SETTLED = /COMPLETED|FAILED|CANCELED|REJECTED|INPUT_REQUIRED|AUTH_REQUIRED/;

async function read({ peer }: Subject, id: string): Promise<Unchecked> {
  return result(await peer.call("GetTask", { id }), "reading the task");
}

/** Checks of SendMessage: answer, errors, waiting (§3.1.1, §3.2.2), tasks and contexts (§3.4). */
export const sendChecks: readonly BindingCheck[] = [
  {
    ids: ["OP-SEND-01", "RESTB-06", "RPC-19"],
    claim: "the answer to a send has exactly one of task and message",
    async run({ peer, stage }) {
      const found = result(await peer.call("SendMessage", await stage.acceptedParams()), "the send");
      const members = ["task", "message"].filter((name) => at(found, name) !== undefined);
      assert(members.length === 1, `it has ${members.join(" and ") || "neither"}`);
      valid("SendMessageResponse", isSendMessageResponse, found);
    },
  },
  {
    ids: ["OP-SEND-08", "OBJ-03", "TURN-05"],
    claim: "a direct message is the agent's, has a context and no task",
    async run({ stage }) {
      const message = at(await stage.reach("message"), "message");
      valid("Message", isMessage, message);
      same(at(message, "role"), "ROLE_AGENT", "role");
      assert(textAt(message, "contextId") !== "", "there is no contextId");
      assert(textAt(message, "taskId") === "", `taskId is ${excerptOf(at(message, "taskId"))}`);
    },
  },
  {
    ids: ["OBJT-01", "OBJT-06", "TURN-03"],
    claim: "a task has an id and a state, artifacts have an id and parts",
    async run({ stage }) {
      valid("Task", isTask, await stage.task("completed"));
    },
  },
  {
    ids: ["OBJT-02"],
    claim: "a task has a context",
    async run({ stage }) {
      assert(textAt(await stage.task("completed"), "contextId") !== "", "there is no contextId");
    },
  },
  {
    ids: ["TURN-01"],
    claim: "every task has an id of its own that cannot be guessed",
    async run({ stage }) {
      const one = textAt(await stage.task("completed"), "id");
      const other = textAt(await stage.task("completed"), "id");
      assert(one !== other && one.length >= 16, `${excerptOf(one)} and ${excerptOf(other)}`);
    },
  },
  {
    ids: ["OP-SEND-04", "TASK-02"],
    claim: "a message to a task that has ended is refused, and changes nothing",
    async run(subject) {
      const { peer, stage } = subject;
      const taskId = textAt(await stage.task("completed"), "id");
      const before = await read(subject, taskId);
      refused(await peer.call("SendMessage", stage.plain({ message: { taskId } })), "UNSUPPORTED_OPERATION");
      same(await read(subject, taskId), before, "the task afterwards");
    },
  },
  {
    ids: ["OP-SEND-05", "TURN-02"],
    claim: "a message to a task that does not exist is refused, and makes none",
    async run({ peer, stage }) {
      const taskId = crypto.randomUUID();
      refused(await peer.call("SendMessage", stage.plain({ message: { taskId } })), "TASK_NOT_FOUND");
      refused(await peer.call("GetTask", { id: taskId }), "TASK_NOT_FOUND");
    },
  },
  {
    ids: ["OP-SEND-06", "OP-SEND-07"],
    claim: "a part of a media type that the agent does not take is refused as such",
    async run({ card, peer, stage }) {
      const modes = JSON.stringify(listAt(card, "defaultInputModes"));
      if (/"(\*|application)\/\*"/.test(modes)) throw new Inconclusive("the card takes everything");
      const parts = [{ raw: "AAAA", mediaType: "application/x-parley-unheard-of" }];
      // An agent that accepts the part may work for a long time; a refusal comes at once.
      const configuration = { returnImmediately: true };
      const answer = await peer.call("SendMessage", stage.plain({ message: { parts }, configuration }));
      // The default of SDKs: it does not show that the author wants text only.
      if (modes === '["text/plain"]' && answer.result !== undefined)
        throw new Inconclusive(
          "the card lists plain text alone, as cards do by default, and the agent takes more",
        );
      refused(answer, "CONTENT_TYPE_NOT_SUPPORTED");
    },
  },
  {
    ids: ["EXEC-01"],
    claim: "a send waits until the task has ended or needs its caller",
    async run({ peer, stage }) {
      const found = result(await peer.call("SendMessage", await stage.params("completed")), "the send");
      const state = textAt(found, "task", "status", "state");
      assert(SETTLED.test(state), `it was answered in the state ${state}`);
    },
  },
  {
    ids: ["EXEC-02"],
    claim: "with returnImmediately the answer does not wait for the work",
    async run({ stage }) {
      const state = textAt(await stage.task("working"), "status", "state");
      assert(/WORKING|SUBMITTED/.test(state), `the state is ${state}`);
    },
  },
  {
    ids: ["EXEC-03"],
    claim: "returnImmediately changes nothing about a direct message that is ready in time",
    async run({ peer, stage }) {
      const configuration = { returnImmediately: true };
      const found = result(await peer.call("SendMessage", await stage.params("message", { configuration })));
      const state = textAt(found, "task", "status", "state");
      if (/SUBMITTED|WORKING/.test(state)) throw new Inconclusive(`the agent made a task of it, in ${state}`);
      assert(at(found, "message") !== undefined, `the answer is ${excerptOf(found)}`);
    },
  },
  {
    ids: ["EXEC-05", "OP-SEND-09"],
    claim: "an answer to a question waits for what comes of it, and is a task",
    async run({ peer, stage }) {
      const task = await stage.task("input-required");
      const message = { taskId: textAt(task, "id"), parts: [{ text: "answer blue" }] };
      const found = result(await peer.call("SendMessage", stage.plain({ message })), "the answer");
      same(at(found, "task", "id"), at(task, "id"), "the task");
      const state = textAt(found, "task", "status", "state");
      assert(SETTLED.test(state), `it was answered in the state ${state}`);
      const isSame = at(found, "task", "status", "timestamp") === at(task, "status", "timestamp");
      assert(!isSame, "the old state came back");
    },
  },
  {
    ids: ["TURN-11"],
    claim: "a message that names the task alone is in the task's context",
    async run({ peer, stage }) {
      const task = await stage.task("input-required");
      const message = { taskId: textAt(task, "id") };
      const found = result(await peer.call("SendMessage", stage.plain({ message })), "the answer");
      same(at(found, "task", "contextId"), at(task, "contextId"), "the context");
    },
  },
  {
    ids: ["TURN-12"],
    claim: "a message that names a task and another context is refused",
    async run({ peer, stage }) {
      const taskId = textAt(await stage.task("input-required"), "id");
      const message = { taskId, contextId: crypto.randomUUID() };
      const answer = await peer.call("SendMessage", stage.plain({ message }));
      refusedSomehow(answer, "a task with another context");
    },
  },
  {
    ids: ["TURN-13"],
    claim: "that refusal is one of parameters, naming message.contextId",
    async run({ peer, stage }) {
      const taskId = textAt(await stage.task("input-required"), "id");
      const message = { taskId, contextId: crypto.randomUUID() };
      const answer = await peer.call("SendMessage", stage.plain({ message }));
      refused(answer, "INVALID_PARAMS", "message.contextId");
    },
  },
  {
    ids: ["TURN-14", "TURN-06"],
    claim: "a message that names a context alone begins something new in it",
    async run({ stage }) {
      const contextId = crypto.randomUUID();
      const task = await stage.task("completed", { message: { contextId } });
      same(at(task, "contextId"), contextId, "the context");
    },
  },
  {
    ids: ["TASK-15"],
    claim: "a second message in the context of a task that has ended makes a new task",
    async run({ stage }) {
      const first = await stage.task("completed");
      const second = await stage.task("completed", { message: { contextId: at(first, "contextId") } });
      assert(at(first, "id") !== at(second, "id"), "the task is the same");
      same(at(second, "contextId"), at(first, "contextId"), "the context");
    },
  },
  {
    ids: ["HIST-12"],
    claim: "a message in the history says to which task and context it belongs",
    async run({ stage }) {
      const task = await stage.task("completed");
      for (const message of listAt(task, "history")) {
        same(at(message, "taskId"), at(task, "id"), "taskId in the history");
        same(at(message, "contextId"), at(task, "contextId"), "contextId in the history");
      }
    },
  },
  {
    ids: ["TASK-17", "TASK-10"],
    claim: "a question is a message of the agent, of this task and context",
    async run({ stage }) {
      const task = await stage.task("input-required");
      const message = at(task, "status", "message");
      valid("Message", isMessage, message);
      same(at(message, "role"), "ROLE_AGENT", "role");
      same(at(message, "taskId"), at(task, "id"), "taskId");
      same(at(message, "contextId"), at(task, "contextId"), "contextId");
    },
  },
  {
    ids: ["INTASK-01", "INTASK-02"],
    claim: "a task that waits for authorization says what is needed",
    async run({ stage }) {
      const task = await stage.task("auth-required");
      assert(at(task, "status", "message") !== undefined, "there is no status message");
    },
  },
  {
    ids: ["OP-SEND-16", "TASK-08"],
    claim: "a fault in the agent's code ends the task as failed",
    async run({ stage }) {
      same(at(await stage.task("thrown"), "status", "state"), "TASK_STATE_FAILED", "the state");
    },
  },
  {
    ids: ["RPC-09", "SEC-12"],
    claim: "a fault in the agent's code does not show what it was",
    async run({ stage }) {
      const task = await stage.task("thrown");
      assert(!/secret detail|\.[jt]s:\d+|\bat .*\(/.test(JSON.stringify(task)), excerptOf(task));
    },
  },
  {
    ids: ["OP-SEND-22", "OBJT-08"],
    claim: "metadata reach the agent as they were sent",
    async run({ stage }) {
      const metadata = { number: 1.5, list: [null, true, { deep: "äöü" }] };
      const task = await stage.task("metadata", { metadata });
      const told = at(task, "artifacts", 0, "parts", 0, "data", "metadata");
      same(told, metadata, "what the agent was told");
    },
  },
];
