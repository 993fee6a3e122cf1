import type { BindingCheck, Subject } from "../check.js";
import { canceled, refused, result, same } from "../expect.js";
import { at, textAt } from "../json.js";
import type { Peer } from "../peer.js";
import { Inconclusive } from "../verdict.js";

/** The agent over its other binding. @throws Inconclusive if it offers one binding only */
export function otherOf({ peer, peers }: Subject): Peer {
  const other = peers.find(({ binding }) => binding !== peer.binding);
  if (other === undefined) throw new Inconclusive("the agent has one binding only");
  return other;
}

/** Checks across bindings (§5.1): the same task looks the same over each. */
export const crossBindingChecks: readonly BindingCheck[] = [
  {
    ids: ["BIND-01", "BIND-02"],
    claim: "a task that was made here reads the same over the other binding",
    async run(subject) {
      const id = textAt(await subject.stage.task("artifact"), "id");
      const here = result(await subject.peer.call("GetTask", { id }), "reading here");
      same(result(await otherOf(subject).call("GetTask", { id }), "reading there"), here, "the task there");
    },
  },
  {
    ids: ["BIND-02"],
    claim: "a task that was made here can be canceled over the other binding",
    async run(subject) {
      const other = otherOf(subject);
      const id = textAt(await subject.stage.task("input-required"), "id");
      const found = canceled(await other.call("CancelTask", { id }));
      same(at(found, "status", "state"), "TASK_STATE_CANCELED", "the state");
    },
  },
  {
    ids: ["BIND-01"],
    claim: "errors are the same over both bindings",
    async run(subject) {
      const id = crypto.randomUUID();
      for (const peer of [subject.peer, otherOf(subject)])
        refused(await peer.call("GetTask", { id }), "TASK_NOT_FOUND");
    },
  },
];
