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
    async run({ peer, scenarios }) {
      const found = result(await peer.call("SendMessage", await scenarios.acceptedParams()), "the send");
      const members = ["task", "message"].filter((name) => at(found, name) !== undefined);
      assert(members.length === 1, `the answer has ${members.join(" and ") || "neither"}`);
      valid("SendMessageResponse", isSendMessageResponse, found);
    },
  },
  {
    ids: ["OP-SEND-08", "OBJ-03", "TURN-05"],
    claim: "a reply without a task has the role of the agent, a context and no task id",
    async run({ scenarios }) {
      const message = at(await scenarios.reach("message"), "message");
      valid("Message", isMessage, message);
      same(at(message, "role"), "ROLE_AGENT", "role");
      assert(textAt(message, "contextId") !== "", "there is no contextId");
      assert(textAt(message, "taskId") === "", `taskId is ${excerptOf(at(message, "taskId"))}`);
    },
  },
  {
    ids: ["OBJT-01", "OBJT-06", "TURN-03"],
    claim: "a task has an id and a state, artifacts have an id and parts",
    async run({ scenarios }) {
      valid("Task", isTask, await scenarios.task("completed"));
    },
  },
  {
    ids: ["OBJT-02"],
    claim: "a task has a context",
    async run({ scenarios }) {
      assert(textAt(await scenarios.task("completed"), "contextId") !== "", "there is no contextId");
    },
  },
  {
    ids: ["TURN-01"],
    claim: "every task has its own id, which is too long to guess",
    async run({ scenarios }) {
      const one = textAt(await scenarios.task("completed"), "id");
      const other = textAt(await scenarios.task("completed"), "id");
      assert(one !== other && one.length >= 16, `${excerptOf(one)} and ${excerptOf(other)}`);
    },
  },
  {
    ids: ["OP-SEND-04", "TASK-02"],
    claim: "a message to a task that has ended is refused, and changes nothing",
    async run(subject) {
      const { peer, scenarios } = subject;
      const taskId = textAt(await scenarios.task("completed"), "id");
      const before = await read(subject, taskId);
      refused(
        await peer.call("SendMessage", scenarios.plain({ message: { taskId } })),
        "UNSUPPORTED_OPERATION",
      );
      same(await read(subject, taskId), before, "the task afterwards");
    },
  },
  {
    ids: ["OP-SEND-05", "TURN-02"],
    claim: "a message to an unknown task is refused, and creates none",
    async run({ peer, scenarios }) {
      const taskId = crypto.randomUUID();
      refused(await peer.call("SendMessage", scenarios.plain({ message: { taskId } })), "TASK_NOT_FOUND");
      refused(await peer.call("GetTask", { id: taskId }), "TASK_NOT_FOUND");
    },
  },
  {
    ids: ["OP-SEND-06", "OP-SEND-07"],
    claim: "a part of a media type that the agent does not accept is refused",
    async run({ card, peer, scenarios }) {
      const modes = JSON.stringify(listAt(card, "defaultInputModes"));
      if (/"(\*|application)\/\*"/.test(modes)) throw new Inconclusive("the card accepts every media type");
      const parts = [{ raw: "AAAA", mediaType: "application/x-parley-unheard-of" }];
      // An agent that accepts the part may run for a long time; a refusal comes at once.
      const configuration = { returnImmediately: true };
      const answer = await peer.call("SendMessage", scenarios.plain({ message: { parts }, configuration }));
      // text/plain alone is the default of SDKs. It does not show that the author wants text only.
      if (modes === '["text/plain"]' && answer.result !== undefined)
        throw new Inconclusive(
          "the card lists only text/plain, the default of SDKs, and the agent accepts more",
        );
      refused(answer, "CONTENT_TYPE_NOT_SUPPORTED");
    },
  },
  {
    ids: ["EXEC-01"],
    claim: "a send waits until the task has ended or waits for its caller",
    async run({ peer, scenarios }) {
      const found = result(await peer.call("SendMessage", await scenarios.params("completed")), "the send");
      const state = textAt(found, "task", "status", "state");
      assert(SETTLED.test(state), `the send was answered in the state ${state}`);
    },
  },
  {
    ids: ["EXEC-02"],
    claim: "with returnImmediately the agent answers before the task has ended",
    async run({ scenarios }) {
      const state = textAt(await scenarios.task("working"), "status", "state");
      assert(/WORKING|SUBMITTED/.test(state), `the state is ${state}`);
    },
  },
  {
    ids: ["EXEC-03"],
    claim: "returnImmediately has no effect on a reply without a task",
    async run({ peer, scenarios }) {
      const configuration = { returnImmediately: true };
      const found = result(
        await peer.call("SendMessage", await scenarios.params("message", { configuration })),
      );
      const state = textAt(found, "task", "status", "state");
      if (/SUBMITTED|WORKING/.test(state)) throw new Inconclusive(`the agent created a task, in ${state}`);
      assert(at(found, "message") !== undefined, `the answer is ${excerptOf(found)}`);
    },
  },
  {
    ids: ["EXEC-05", "OP-SEND-09"],
    claim: "a message to a task that waits for input is answered with the task in its next settled state",
    async run({ peer, scenarios }) {
      const task = await scenarios.task("input-required");
      const message = { taskId: textAt(task, "id"), parts: [{ text: "answer blue" }] };
      const found = result(await peer.call("SendMessage", scenarios.plain({ message })), "the answer");
      same(at(found, "task", "id"), at(task, "id"), "the task");
      const state = textAt(found, "task", "status", "state");
      assert(SETTLED.test(state), `the send was answered in the state ${state}`);
      // Not by the timestamp alone: the next state may be reached in the same millisecond.
      const isSame = JSON.stringify(at(found, "task", "status")) === JSON.stringify(at(task, "status"));
      assert(!isSame, "the old state came back");
    },
  },
  {
    ids: ["TURN-11"],
    claim: "a message that names only its task belongs to the context of the task",
    async run({ peer, scenarios }) {
      const task = await scenarios.task("input-required");
      const message = { taskId: textAt(task, "id") };
      const found = result(await peer.call("SendMessage", scenarios.plain({ message })), "the answer");
      same(at(found, "task", "contextId"), at(task, "contextId"), "the context");
    },
  },
  {
    ids: ["TURN-12"],
    claim: "a message that names a task and another context is refused",
    async run({ peer, scenarios }) {
      const taskId = textAt(await scenarios.task("input-required"), "id");
      const message = { taskId, contextId: crypto.randomUUID() };
      const answer = await peer.call("SendMessage", scenarios.plain({ message }));
      refusedSomehow(answer, "a task with another context");
    },
  },
  {
    ids: ["TURN-13"],
    claim: "that refusal is INVALID_PARAMS and names message.contextId",
    async run({ peer, scenarios }) {
      const taskId = textAt(await scenarios.task("input-required"), "id");
      const message = { taskId, contextId: crypto.randomUUID() };
      const answer = await peer.call("SendMessage", scenarios.plain({ message }));
      refused(answer, "INVALID_PARAMS", "message.contextId");
    },
  },
  {
    ids: ["TURN-14", "TURN-06"],
    claim: "a message that names only a context creates a new task in it",
    async run({ scenarios }) {
      const contextId = crypto.randomUUID();
      const task = await scenarios.task("completed", { message: { contextId } });
      same(at(task, "contextId"), contextId, "the context");
    },
  },
  {
    ids: ["TASK-15"],
    claim: "a second message in the context of a task that has ended creates a new task",
    async run({ scenarios }) {
      const first = await scenarios.task("completed");
      const second = await scenarios.task("completed", { message: { contextId: at(first, "contextId") } });
      assert(at(first, "id") !== at(second, "id"), "the task is the same");
      same(at(second, "contextId"), at(first, "contextId"), "the context");
    },
  },
  {
    ids: ["HIST-12"],
    claim: "a message in the history names its task and context",
    async run({ scenarios }) {
      const task = await scenarios.task("completed");
      for (const message of listAt(task, "history")) {
        same(at(message, "taskId"), at(task, "id"), "taskId in the history");
        same(at(message, "contextId"), at(task, "contextId"), "contextId in the history");
      }
    },
  },
  {
    ids: ["TASK-17", "TASK-10"],
    claim: "a request for input has a message of the agent that names the task and context",
    async run({ scenarios }) {
      const task = await scenarios.task("input-required");
      const message = at(task, "status", "message");
      valid("Message", isMessage, message);
      same(at(message, "role"), "ROLE_AGENT", "role");
      same(at(message, "taskId"), at(task, "id"), "taskId");
      same(at(message, "contextId"), at(task, "contextId"), "contextId");
    },
  },
  {
    ids: ["INTASK-01", "INTASK-02"],
    claim: "a task that waits for authorization has a status message",
    async run({ scenarios }) {
      const task = await scenarios.task("auth-required");
      assert(at(task, "status", "message") !== undefined, "there is no status message");
    },
  },
  {
    ids: ["OP-SEND-16", "TASK-08"],
    claim: "an exception in the agent's code ends the task as failed",
    async run({ scenarios }) {
      same(at(await scenarios.task("thrown"), "status", "state"), "TASK_STATE_FAILED", "the state");
    },
  },
  {
    ids: ["RPC-09", "SEC-12"],
    claim: "an exception in the agent's code is not disclosed",
    async run({ scenarios }) {
      const task = await scenarios.task("thrown");
      assert(!/secret detail|\.[jt]s:\d+|\bat .*\(/.test(JSON.stringify(task)), excerptOf(task));
    },
  },
  {
    ids: ["OP-SEND-22", "OBJT-08"],
    claim: "metadata of the request reach the agent unchanged",
    async run({ scenarios }) {
      const metadata = { number: 1.5, list: [null, true, { deep: "äöü" }] };
      const task = await scenarios.task("metadata", { metadata });
      const received = at(task, "artifacts", 0, "parts", 0, "data", "metadata");
      same(received, metadata, "the metadata that the agent received");
    },
  },
];
