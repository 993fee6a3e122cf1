import { setTimeout } from "node:timers/promises";
import { isTask } from "../../protocol/model.js";
import type { BindingCheck } from "../check.js";
import { assert, canceled, refused, result, same, valid } from "../expect.js";
import { at, textAt } from "../json.js";
import type { PeerAnswer } from "../peer.js";
import type { Scenario } from "../scenarios.js";

const open: readonly Scenario[] = ["working", "input-required", "auth-required"];
const ended: readonly Scenario[] = ["completed", "failed", "rejected"];

const MOMENT_MS = 5;

/** Sort key: answers with a result come first. */
function rank({ result: found }: PeerAnswer): number {
  return found === undefined ? 1 : 0;
}

/** Checks of CancelTask (§3.1.5). */
export const cancelTaskChecks: readonly BindingCheck[] = [
  ...open.map(
    (scenario): BindingCheck => ({
      ids: ["OP-CANCEL-05", "OP-CANCEL-06", "OP-CANCEL-01"],
      claim: `a ${scenario} task can be canceled, and is then canceled`,
      async run({ peer, scenarios }) {
        const task = await scenarios.task(scenario);
        // Timestamps have a resolution of milliseconds: without a pause a new one could equal the old one.
        await setTimeout(MOMENT_MS);
        const found = canceled(await peer.call("CancelTask", { id: textAt(task, "id") }));
        valid("Task", isTask, found);
        same(at(found, "status", "state"), "TASK_STATE_CANCELED", "the state");
        const [before, after] = [task, found].map((one) => textAt(one, "status", "timestamp"));
        assert(before !== after || after === "", "the timestamp is that of the previous state");
        const read = result(await peer.call("GetTask", { id: textAt(task, "id") }));
        same(at(read, "status", "state"), "TASK_STATE_CANCELED", "the state afterwards");
      },
    }),
  ),
  ...ended.map(
    (scenario): BindingCheck => ({
      ids: ["OP-CANCEL-02"],
      claim: `a ${scenario} task cannot be canceled, and does not change`,
      async run({ peer, scenarios }) {
        const id = textAt(await scenarios.task(scenario), "id");
        const before = result(await peer.call("GetTask", { id }));
        refused(await peer.call("CancelTask", { id }), "TASK_NOT_CANCELABLE");
        same(result(await peer.call("GetTask", { id })), before, "the task afterwards");
      },
    }),
  ),
  {
    ids: ["OP-CANCEL-03", "IDEM-04"],
    claim: "a task that was canceled cannot be canceled again",
    async run({ peer, scenarios }) {
      const id = textAt(await scenarios.task("input-required"), "id");
      canceled(await peer.call("CancelTask", { id }));
      refused(await peer.call("CancelTask", { id }), "TASK_NOT_CANCELABLE");
    },
  },
  {
    ids: ["OP-CANCEL-04"],
    claim: "a task that does not exist cannot be canceled",
    async run({ peer }) {
      refused(await peer.call("CancelTask", { id: crypto.randomUUID() }), "TASK_NOT_FOUND");
    },
  },
  {
    ids: ["OP-CANCEL-09"],
    claim:
      "of two simultaneous cancels at least one succeeds, and the other may be refused with TASK_NOT_CANCELABLE",
    async run({ peer, scenarios }) {
      const id = textAt(await scenarios.task("working"), "id");
      const answers = await Promise.all([1, 2].map(() => peer.call("CancelTask", { id })));
      const [first] = answers.sort((one, other) => rank(one) - rank(other));
      if (first !== undefined) canceled(first);
      for (const answer of answers) {
        if (answer.result === undefined) refused(answer, "TASK_NOT_CANCELABLE");
        else same(at(answer.result, "status", "state"), "TASK_STATE_CANCELED", "the state");
      }
    },
  },
  {
    ids: ["TASK-02"],
    claim: "a canceled task accepts no message",
    async run({ peer, scenarios }) {
      const taskId = textAt(await scenarios.task("input-required"), "id");
      canceled(await peer.call("CancelTask", { id: taskId }));
      refused(
        await peer.call("SendMessage", scenarios.plain({ message: { taskId } })),
        "UNSUPPORTED_OPERATION",
      );
    },
  },
];
