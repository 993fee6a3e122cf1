import type { OperationName } from "../../protocol/operations.js";
import { needs } from "../capability.js";
import type { BindingCheck, Subject } from "../check.js";
import { assert, plain, refused, result, same, summary } from "../expect.js";
import { at, listAt, textAt, type Unchecked } from "../json.js";
import type { PeerAnswer } from "../peer.js";
import { Inconclusive } from "../verdict.js";

const other = { as: "other" } as const;
const webhook = "https://parley-conformance.example.invalid/";

/** @throws Inconclusive unless the run has credentials of a second caller and the agent accepts them */
async function withOther({ hasOther, peer }: Subject): Promise<void> {
  if (!hasOther) throw new Inconclusive("there are no credentials of a second caller");
  const answer = await peer.call("ListTasks", { pageSize: 1 }, other);
  if (answer.result === undefined)
    throw new Inconclusive(`the agent refuses the second caller: ${summary(answer)}`);
}

/** Parameters of the second caller's calls about a task, by operation. */
const calls: Readonly<Partial<Record<OperationName, (id: string) => object>>> = {
  GetTask: (id) => ({ id }),
  CancelTask: (id) => ({ id }),
  SendMessage: message,
  CreateTaskPushNotificationConfig: (taskId) => ({ taskId, url: webhook }),
  GetTaskPushNotificationConfig: (taskId) => ({ taskId, id: "any" }),
  ListTaskPushNotificationConfigs: (taskId) => ({ taskId }),
  DeleteTaskPushNotificationConfig: (taskId) => ({ taskId, id: "any" }),
};
const streams: typeof calls = { SendStreamingMessage: message, SubscribeToTask: (id) => ({ id }) };

function message(taskId: string) {
  const messageId = crypto.randomUUID();
  return { message: { messageId, role: "ROLE_USER", parts: [{ text: "Hello" }], taskId } };
}

/** The parts of a refusal that are compared; task ids are left out. */
function traits({ status, error }: PeerAnswer, id: string): Unchecked {
  const { code, reason, message: text, status: word } = error ?? {};
  return { status, code, reason, word, text: String(text).replaceAll(id, "…") };
}

/** @throws Deviation unless the second caller gets the same answer as for a task that does not exist */
async function hides(subject: Subject, name: OperationName, id: string): Promise<void> {
  const { peer } = subject;
  const ask = async (task: string): Promise<PeerAnswer> => {
    const params = (calls[name] ?? streams[name])?.(task) ?? {};
    if (calls[name] !== undefined) return peer.call(name, params, other);
    return plain(await peer.open(name, params, other));
  };
  const foreign = await ask(id);
  refused(foreign, "TASK_NOT_FOUND");
  const unknown = crypto.randomUUID();
  same(
    traits(foreign, id),
    traits(await ask(unknown), unknown),
    "the refusal, compared with that for no task,",
  );
}

function hiding(name: OperationName): BindingCheck {
  return {
    ids: ["AUTHZ-02", "AUTHZ-04", "ERR-19"],
    claim: `${name} about a task of another caller is refused as for a task that does not exist`,
    async run(subject) {
      await withOther(subject);
      if (name.includes("Push")) needs(subject, "pushNotifications");
      if (streams[name] !== undefined) needs(subject, "streaming");
      const id = textAt(await subject.scenarios.task("input-required"), "id");
      await hides(subject, name, id);
      const state = at(result(await subject.peer.call("GetTask", { id })), "status", "state");
      same(state, "TASK_STATE_INPUT_REQUIRED", "the state afterwards");
    },
  };
}

const idsOf = (page: Unchecked): readonly string[] => listAt(page, "tasks").map((task) => textAt(task, "id"));

/** Checks that callers cannot see each other's tasks (§13.1). They need credentials of two callers. */
export const isolationChecks: readonly BindingCheck[] = [
  ...([...Object.keys(calls), ...Object.keys(streams)] as OperationName[]).map(hiding),
  {
    ids: ["AUTHZ-03"],
    claim: "a caller cannot see whether a task of another caller has ended",
    async run(subject) {
      await withOther(subject);
      const id = textAt(await subject.scenarios.task("completed"), "id");
      for (const name of ["CancelTask", "SendMessage"] as const) await hides(subject, name, id);
    },
  },
  {
    ids: ["AUTHZ-01", "AUTHZ-04"],
    claim: "lists have no tasks of another caller, and do not count them",
    async run(subject) {
      await withOther(subject);
      const { peer, scenarios } = subject;
      const contextId = crypto.randomUUID();
      const id = textAt(await scenarios.task("completed", { message: { contextId } }), "id");
      const found = idsOf(result(await peer.call("ListTasks", { contextId }), "the list of the caller"));
      same(found, [id], "the list of the caller");
      const foreign = result(await peer.call("ListTasks", { contextId }, other), "the list of the other");
      same([idsOf(foreign), at(foreign, "totalSize")], [[], 0], "the list of the other");
      const whole = result(await peer.call("ListTasks", { pageSize: 100 }, other), "the whole list");
      assert(!idsOf(whole).includes(id), "the whole list of the other has the task");
    },
  },
  {
    ids: ["TURN-21"],
    claim: "two callers may use the same context, and see their own tasks in it",
    async run(subject) {
      await withOther(subject);
      const { peer, scenarios } = subject;
      const contextId = crypto.randomUUID();
      const id = textAt(await scenarios.task("completed", { message: { contextId } }), "id");
      const params = await scenarios.params("completed", { message: { contextId } });
      const theirs = textAt(result(await peer.call("SendMessage", params, other)), "task", "id");
      if (theirs === "") throw new Inconclusive("the second caller got no task");
      same(idsOf(result(await peer.call("ListTasks", { contextId }))), [id], "the list of the caller");
      same(idsOf(result(await peer.call("ListTasks", { contextId }, other))), [theirs], "that of the other");
    },
  },
  {
    ids: ["PAGE-10"],
    claim: "a page token of another caller returns no tasks",
    async run(subject) {
      await withOther(subject);
      const { peer, scenarios } = subject;
      const contextId = crypto.randomUUID();
      for (let index = 0; index < 2; index += 1)
        await scenarios.task("completed", { message: { contextId } });
      const first = result(await peer.call("ListTasks", { contextId, pageSize: 1 }), "the first page");
      const pageToken = textAt(first, "nextPageToken");
      assert(pageToken !== "", "there is no token for the second page");
      const { result: page } = await peer.call("ListTasks", { contextId, pageSize: 1, pageToken }, other);
      same(idsOf(page), [], "the page of the other");
    },
  },
];
