import { lacks, needs } from "../capability.js";
import type { BindingCheck, Subject } from "../check.js";
import { assert, canceled, plain, refused, same } from "../expect.js";
import { textAt, type Unchecked } from "../json.js";
import type { EventSource } from "../peer.js";
import { subscribed } from "../running-task.js";
import type { Scenario } from "../scenarios.js";
import { firstOf, kindOf, stateOf } from "../streams.js";

const ended: readonly Scenario[] = ["completed", "failed", "rejected"];

/** Opens `count` streams on one task, cancels the task, and returns the events of each stream. */
async function watched(subject: Subject, id: string, count: number): Promise<Unchecked[][]> {
  const { peer } = subject;
  const streams: EventSource[] = [];
  try {
    for (let index = 0; index < count; index += 1) streams.push(await subscribed(peer, id));
    const firsts = await Promise.all(streams.map(({ events }) => events.next()));
    canceled(await peer.call("CancelTask", { id }));
    return await Promise.all(
      streams.map(async ({ events }, index) => {
        const seen: Unchecked[] = [firsts[index]?.value?.value];
        for await (const { value } of events) seen.push(value);
        return seen;
      }),
    );
  } finally {
    for (const stream of streams) stream.close();
  }
}

/** Checks of SubscribeToTask (§3.1.6). */
export const subscribeChecks: readonly BindingCheck[] = [
  {
    ids: ["OP-SUB-01", "OP-SUB-02"],
    claim: "a subscription begins with the current task",
    async run(subject) {
      needs(subject, "streaming");
      const id = textAt(await subject.scenarios.task("working"), "id");
      const { value } = await firstOf(await subscribed(subject.peer, id));
      same(kindOf(value), "task", "the first event");
      same(textAt(value, "task", "id"), id, "the task");
    },
  },
  ...ended.map(
    (scenario): BindingCheck => ({
      ids: ["OP-SUB-04"],
      claim: `a subscription to a ${scenario} task is refused`,
      async run(subject) {
        needs(subject, "streaming");
        const id = textAt(await subject.scenarios.task(scenario), "id");
        refused(plain(await subject.peer.open("SubscribeToTask", { id })), "UNSUPPORTED_OPERATION");
      },
    }),
  ),
  {
    ids: ["OP-SUB-05"],
    claim: "a subscription to an unknown task is refused",
    async run(subject) {
      needs(subject, "streaming");
      const opened = await subject.peer.open("SubscribeToTask", { id: crypto.randomUUID() });
      refused(plain(opened), "TASK_NOT_FOUND");
    },
  },
  {
    ids: ["OP-SUB-05", "OP-STREAM-02"],
    claim: "without the capability a subscription is refused",
    async run(subject) {
      lacks(subject, "streaming");
      const opened = await subject.peer.open("SubscribeToTask", { id: crypto.randomUUID() });
      refused(plain(opened), "UNSUPPORTED_OPERATION");
    },
  },
  {
    ids: ["OP-SUB-07", "OP-CANCEL-06", "STR-07"],
    claim: "a subscription receives the cancellation of its task, and ends after it",
    async run(subject) {
      needs(subject, "streaming");
      const id = textAt(await subject.scenarios.task("working"), "id");
      const [events = []] = await watched(subject, id, 1);
      same(stateOf(events.at(-1)), "TASK_STATE_CANCELED", "the last state");
    },
  },
  {
    ids: ["STR-02", "STR-03", "OP-SUB-11"],
    claim: "two subscriptions receive the same events",
    async run(subject) {
      needs(subject, "streaming");
      const id = textAt(await subject.scenarios.task("working"), "id");
      const [one = [], other = []] = await watched(subject, id, 2);
      // The second stream was opened later: its events must be the last ones of the first stream.
      const [all, last] = [one.slice(1), other.slice(1)];
      same(all.slice(Math.max(all.length - last.length, 0)), last, "the end of the first stream");
    },
  },
  {
    ids: ["OP-SUB-08", "OP-SUB-09"],
    claim: "a subscription to a task that waits for input stays open, and receives what follows",
    async run(subject) {
      needs(subject, "streaming");
      const id = textAt(await subject.scenarios.task("input-required"), "id");
      const [events = []] = await watched(subject, id, 1);
      assert(events.length > 1, "the subscription ended after the first event");
      same(stateOf(events.at(-1)), "TASK_STATE_CANCELED", "the last state");
    },
  },
];
