import { FIRST_DRAFT_VERSION } from "../../versions/version.js";
import { assert, result, same, streaming } from "../expect.js";
import { at, excerptOf, listAt, type Unchecked } from "../json.js";
import type { Scenario } from "../scenarios.js";
import { readStream } from "../streams.js";
import { Inconclusive } from "../verdict.js";
import {
  type EarlierCheck,
  type EarlierSubject,
  type EarlierSuite,
  earlierVersionIds,
} from "./earlier-check.js";
import {
  assertTexts,
  checkPartKinds,
  checkStatusAndRoles,
  envelopeChecks,
  isEnded,
  normalizedState,
  refusedAs,
  stateIn,
} from "./shapes.js";

/** Parameters of a send. In the first draft the caller chooses the task id. */
function params(text: string) {
  return {
    id: crypto.randomUUID(),
    sessionId: crypto.randomUUID(),
    message: { role: "user", parts: [{ type: "text", text }] },
    historyLength: 10,
  };
}

/** The ids that tie a message to a task. */
function ids({ id, sessionId }: ReturnType<typeof params>) {
  return { id, sessionId };
}

interface Reached {
  readonly task: Unchecked;
  readonly text: string;
  readonly sent: ReturnType<typeof params>;
}

/** The task of a send that reaches a state. @throws Inconclusive */
async function reached(
  { peer, texts: known, open }: EarlierSubject,
  scenario: Scenario,
  state: string,
): Promise<Reached> {
  for (const text of known(scenario)) {
    const sent = params(text);
    const { result: task } = await peer.call("tasks/send", sent);
    if (task !== undefined && !isEnded(normalizedState(task))) open.add(sent.id);
    if (normalizedState(task) === state) return { task, text, sent };
  }
  throw new Inconclusive(`no message brought the agent to "${scenario}"`);
}

const completed = (subject: EarlierSubject) => reached(subject, "artifact", "completed");
const asking = (subject: EarlierSubject) => reached(subject, "input-required", "input-required");

/** Opens a stream on a task that keeps running. @throws Deviation, Inconclusive */
async function runningTask({ card, peer, texts: known, open }: EarlierSubject) {
  if (at(card, "capabilities", "streaming") !== true)
    throw new Inconclusive("the card does not declare streaming");
  for (const text of known("working")) {
    const sent = params(text);
    const stream = streaming(await peer.open("tasks/sendSubscribe", sent));
    open.add(sent.id);
    await stream.events.next();
    const { result: task } = await peer.call("tasks/get", { id: sent.id });
    if (/^(working|submitted)$/.test(normalizedState(task))) return { id: sent.id, stream };
    stream.close();
  }
  throw new Inconclusive('no message brought the agent to "working"');
}

/** Checks a task against the shapes of the first draft. @throws Deviation */
function shaped(task: Unchecked): void {
  assertTexts(task, ["id"], "the task");
  assert(at(task, "kind") === undefined, "the task has a kind");
  checkStatusAndRoles(task);
  checkPartKinds(task, "type");
  for (const artifact of listAt(task, "artifacts"))
    assert(
      Number.isInteger(at(artifact, "index") ?? 0),
      `an artifact has the index ${excerptOf(at(artifact, "index"))}`,
    );
}

const taskChecks: readonly EarlierCheck[] = [
  {
    ids: earlierVersionIds,
    claim: "the card has the members that the first draft requires",
    over: "card",
    async run({ card }) {
      assertTexts(card, ["name", "url", "version"], "the card");
      assert(typeof at(card, "capabilities") === "object", "the card has no capabilities");
      assert(Array.isArray(at(card, "skills")), "the card has no list skills");
      for (const skill of listAt(card, "skills")) assertTexts(skill, ["id", "name"], "a skill");
    },
  },
  {
    ids: earlierVersionIds,
    claim: "tasks/send creates a task with the id and session that the caller names",
    over: "JSONRPC",
    async run(subject) {
      const { task, sent } = await completed(subject);
      shaped(task);
      same([at(task, "id"), at(task, "sessionId")], [sent.id, sent.sessionId], "id and session");
      assert(listAt(task, "artifacts").length > 0, "the task has no artifact");
    },
  },
  {
    ids: earlierVersionIds,
    claim: "tasks/send with the same id continues a task that waits for input",
    over: "JSONRPC",
    async run(subject) {
      const { text, sent } = await asking(subject);
      const next = result(
        await subject.peer.call("tasks/send", { ...params(text), ...ids(sent) }),
        "the next message",
      );
      same(at(next, "id"), sent.id, "the task");
    },
  },
  {
    ids: earlierVersionIds,
    claim: "tasks/get returns the task, with at most as many messages as requested",
    over: "JSONRPC",
    async run(subject) {
      const { id } = (await completed(subject)).sent;
      const task = result(await subject.peer.call("tasks/get", { id, historyLength: 1 }), "tasks/get");
      shaped(task);
      same([at(task, "id"), stateIn(task)], [id, "completed"], "the task");
      assert(listAt(task, "history").length <= 1, "historyLength 1 gave more than one message");
    },
  },
  {
    ids: earlierVersionIds,
    claim: "a task that has ended cannot be canceled",
    over: "JSONRPC",
    async run(subject) {
      const { id } = (await completed(subject)).sent;
      refusedAs(await subject.peer.call("tasks/cancel", { id }), "TASK_NOT_CANCELABLE");
    },
  },
];

const streamChecks: readonly EarlierCheck[] = [
  {
    ids: earlierVersionIds,
    claim: "tasks/sendSubscribe streams updates of the task, and marks the last one as final",
    over: "JSONRPC",
    async run(subject) {
      if (at(subject.card, "capabilities", "streaming") !== true)
        throw new Inconclusive("the card does not declare streaming");
      const { text } = await completed(subject);
      const sent = params(text);
      const stream = streaming(await subject.peer.open("tasks/sendSubscribe", sent));
      const events = await readStream(stream);
      for (const { envelope, value } of events) {
        same([at(envelope, "id"), at(value, "id")], [stream.id, sent.id], "the ids of an event");
        assert(
          ["status", "artifact"].some((name) => at(value, name) !== undefined),
          `an event is ${excerptOf(value)}`,
        );
        checkStatusAndRoles(value);
        checkPartKinds(value, "type");
      }
      const last = events.at(-1)?.value;
      same(at(last, "final"), true, "final of the last event");
      assert(isEnded(stateIn(last)), "the last event does not end the task");
    },
  },
  {
    ids: earlierVersionIds,
    claim: "tasks/cancel ends a running task and its streams",
    over: "JSONRPC",
    async run(subject) {
      const { id, stream } = await runningTask(subject);
      const events = readStream(stream);
      same(
        stateIn(result(await subject.peer.call("tasks/cancel", { id }), "tasks/cancel")),
        "canceled",
        "the state",
      );
      const last = (await events).at(-1)?.value;
      same([stateIn(last), at(last, "final")], ["canceled", true], "state and final of the last event");
    },
  },
  {
    ids: earlierVersionIds,
    claim: "tasks/resubscribe follows a task to its end",
    over: "JSONRPC",
    async run(subject) {
      const { id, stream } = await runningTask(subject);
      stream.close();
      const again = readStream(streaming(await subject.peer.open("tasks/resubscribe", { id })));
      result(await subject.peer.call("tasks/cancel", { id }), "tasks/cancel");
      same(stateIn((await again).at(-1)?.value), "canceled", "the state of the last event");
    },
  },
];

const pushCheck: EarlierCheck = {
  ids: earlierVersionIds,
  claim: "the webhook of a task is set and read by the id of the task",
  over: "JSONRPC",
  async run(subject) {
    const { card, peer } = subject;
    const { id } = (await asking(subject)).sent;
    const pushNotificationConfig = { url: "https://parley-conformance.example.invalid/", token: "t" };
    const answer = await peer.call("tasks/pushNotification/set", { id, pushNotificationConfig });
    if (at(card, "capabilities", "pushNotifications") !== true)
      return refusedAs(answer, "PUSH_NOTIFICATION_NOT_SUPPORTED");
    for (const found of [
      result(answer, "set"),
      result(await peer.call("tasks/pushNotification/get", { id }), "get"),
    ])
      same(
        [at(found, "id"), at(found, "pushNotificationConfig", "url")],
        [id, pushNotificationConfig.url],
        "the config",
      );
  },
};

/** Checks of the first draft (`tasks/send`), over JSON-RPC. */
export const tasksSendSuite: EarlierSuite = {
  version: FIRST_DRAFT_VERSION,
  isNamed: true,
  hasOldPath: true,
  checks: [...envelopeChecks("tasks/send"), ...taskChecks, ...streamChecks, pushCheck],
};
