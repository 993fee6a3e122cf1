import { isTask } from "../../protocol/model.js";
import type { BindingCheck } from "../check.js";
import { assert, refused, result, same, valid } from "../expect.js";
import { at, excerptOf, listAt, textAt, type Unchecked } from "../json.js";
import { Inconclusive } from "../verdict.js";

const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** All values of a member at any depth, except inside members with free-form content. */
function valuesOf(name: string, value: Unchecked): Unchecked[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    if (["metadata", "data", "params", "header"].includes(key)) return [];
    return [...(key === name ? [inner] : []), ...valuesOf(name, inner)];
  });
}

/** Id of a task that was sent a second message. @throws Inconclusive if no message makes the agent ask for input */
async function taskWithTwoMessages({ peer, scenarios }: Parameters<BindingCheck["run"]>[0]): Promise<string> {
  const taskId = textAt(await scenarios.task("input-required"), "id");
  await peer.call("SendMessage", scenarios.plain({ message: { taskId, parts: [{ text: "once more" }] } }));
  return taskId;
}

/** Checks of GetTask, the shape of tasks, and their history (§3.1.3, §3.2.4, §4.1, §5). */
export const getTaskChecks: readonly BindingCheck[] = [
  {
    ids: ["OP-GET-02", "OP-GET-03", "OP-GET-07", "RPC-19"],
    claim: "a completed task can be read, unchanged and without an envelope",
    async run({ peer, scenarios }) {
      const task = await scenarios.task("artifact");
      const found = result(await peer.call("GetTask", { id: textAt(task, "id") }));
      valid("Task", isTask, found);
      same(at(found, "id"), at(task, "id"), "the id");
      same(at(found, "status", "state"), at(task, "status", "state"), "the state");
      same(at(found, "artifacts"), at(task, "artifacts"), "the artifacts");
    },
  },
  {
    ids: ["OP-GET-04"],
    claim: "reading a task that does not exist is refused",
    async run({ peer }) {
      refused(await peer.call("GetTask", { id: crypto.randomUUID() }), "TASK_NOT_FOUND");
    },
  },
  {
    ids: ["OP-GET-06", "IDEM-01"],
    claim: "reading a task does not change it",
    async run({ peer, scenarios }) {
      const id = textAt(await scenarios.task("completed"), "id");
      const first = result(await peer.call("GetTask", { id }));
      same(result(await peer.call("GetTask", { id })), first, "the task");
    },
  },
  {
    ids: ["OBJT-04", "LEG-03"],
    claim: "a task has no kind, a member of earlier versions",
    async run({ scenarios }) {
      const found = valuesOf("kind", await scenarios.task("artifact"));
      assert(found.length === 0, `kind ${excerptOf(found[0])}`);
    },
  },
  {
    ids: ["JSONV-01", "TASK-01"],
    claim: "states and roles have their full names",
    async run({ scenarios }) {
      const task = await scenarios.task("artifact");
      for (const state of valuesOf("state", task))
        assert(/^TASK_STATE_[A-Z_]+$/.test(String(state)), `state ${excerptOf(state)}`);
      for (const role of valuesOf("role", task))
        assert(/^ROLE_(USER|AGENT)$/.test(String(role)), `role ${excerptOf(role)}`);
    },
  },
  {
    ids: ["TASK-14"],
    claim: "a status has a timestamp",
    async run({ scenarios }) {
      const time = textAt(await scenarios.task("completed"), "status", "timestamp");
      assert(!Number.isNaN(Date.parse(time)), `timestamp ${excerptOf(time)}`);
    },
  },
  {
    ids: ["JSONV-10", "JSONV-12"],
    claim: "timestamps are in UTC, with a Z",
    async run({ scenarios }) {
      for (const time of valuesOf("timestamp", await scenarios.task("completed")))
        assert(CANONICAL.test(String(time)), `timestamp ${excerptOf(time)}`);
    },
  },
  {
    ids: ["JSONV-11"],
    claim: "timestamps have three digits of fraction",
    async run({ scenarios }) {
      for (const time of valuesOf("timestamp", await scenarios.task("completed")))
        assert(/\.\d{3}Z$/.test(String(time)), `timestamp ${excerptOf(time)}`);
    },
  },
  {
    ids: ["JSON-01"],
    claim: "member names are in camel case",
    async run({ scenarios }) {
      const task = await scenarios.task("artifact");
      for (const name of ["context_id", "task_id", "message_id", "artifact_id"])
        assert(valuesOf(name, task).length === 0, `there is ${name}`);
    },
  },
  {
    ids: ["HIST-02"],
    claim: "historyLength 0 returns no message",
    async run({ peer, scenarios }) {
      const id = textAt(await scenarios.task("completed"), "id");
      const found = result(await peer.call("GetTask", { id, historyLength: 0 }));
      assert(listAt(found, "history").length === 0, `${listAt(found, "history").length} messages`);
    },
  },
  {
    ids: ["HIST-03"],
    claim: "with historyLength 0 history is left out",
    async run({ peer, scenarios }) {
      const id = textAt(await scenarios.task("completed"), "id");
      const found = result(await peer.call("GetTask", { id, historyLength: 0 }));
      assert(at(found, "history") === undefined, `history is ${excerptOf(at(found, "history"))}`);
    },
  },
  {
    ids: ["HIST-01", "HIST-07"],
    claim: "without historyLength the history is there",
    async run({ peer, scenarios }) {
      const id = textAt(await scenarios.task("completed"), "id");
      const found = result(await peer.call("GetTask", { id }));
      assert(listAt(found, "history").length > 0, "there is no message in the history");
    },
  },
  {
    ids: ["HIST-04", "HIST-05", "HIST-08"],
    claim: "historyLength 1 returns the newest message, and does not shorten the stored history",
    async run(subject) {
      const { peer } = subject;
      const id = await taskWithTwoMessages(subject);
      const whole = listAt(result(await peer.call("GetTask", { id })), "history");
      if (whole.length < 2) throw new Inconclusive("no task had more than one message in its history");
      const one = listAt(result(await peer.call("GetTask", { id, historyLength: 1 })), "history");
      same(one, whole.slice(-1), "the history");
      same(listAt(result(await peer.call("GetTask", { id })), "history"), whole, "the history afterwards");
    },
  },
  {
    ids: ["HIST-11"],
    claim: "the current status message is not repeated in the history",
    async run({ scenarios }) {
      const task = await scenarios.task("input-required");
      const id = at(task, "status", "message", "messageId");
      const held = listAt(task, "history").map((message) => at(message, "messageId"));
      assert(id === undefined || !held.includes(id), "the history contains the status message");
    },
  },
];
