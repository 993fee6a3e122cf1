import type { BindingCheck, Subject } from "../check.js";
import { canceled, refused, result, same } from "../expect.js";
import { at, textAt } from "../json.js";
import type { Peer } from "../peer.js";
import { Inconclusive } from "../verdict.js";

/** The agent over another of its bindings. @throws Inconclusive if it offers one binding only */
export function otherOf({ peer, peers }: Subject): Peer {
  const other = peers.find(({ binding }) => binding !== peer.binding);
  if (other === undefined) throw new Inconclusive("the agent has one binding only");
  return other;
}

/** Checks across bindings (§5.1): a task and an error are the same over each. */
export const crossBindingChecks: readonly BindingCheck[] = [
  {
    ids: ["BIND-01", "BIND-02"],
    claim: "a task that was created over this binding is the same over another one",
    async run(subject) {
      const id = textAt(await subject.scenarios.task("artifact"), "id");
      const here = result(await subject.peer.call("GetTask", { id }), "reading here");
      same(result(await otherOf(subject).call("GetTask", { id }), "reading there"), here, "the task there");
    },
  },
  {
    ids: ["BIND-02"],
    claim: "a task that was created over this binding can be canceled over another one",
    async run(subject) {
      const other = otherOf(subject);
      const id = textAt(await subject.scenarios.task("input-required"), "id");
      const found = canceled(await other.call("CancelTask", { id }));
      same(at(found, "status", "state"), "TASK_STATE_CANCELED", "the state");
    },
  },
  {
    ids: ["BIND-01"],
    claim: "errors are the same over this binding and another one",
    async run(subject) {
      const id = crypto.randomUUID();
      for (const peer of [subject.peer, otherOf(subject)])
        refused(await peer.call("GetTask", { id }), "TASK_NOT_FOUND");
    },
  },
];
