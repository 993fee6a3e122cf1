import { errors } from "../../protocol/errors.js";
import { UNNAMED_VERSION } from "../../versions/version.js";
import { assert, plain, result, same, streaming, summary } from "../expect.js";
import { at, excerptOf, listAt, textAt, type Unchecked } from "../json.js";
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

interface More {
  readonly message?: object;
  readonly configuration?: object;
}

function params(text: string, { message, configuration }: More = {}) {
  const parts = [{ kind: "text", text }];
  return {
    message: { kind: "message", messageId: crypto.randomUUID(), role: "user", parts, ...message },
    ...(configuration && { configuration }),
  };
}

/** Result of a send that provokes the scenario, and the text that provoked it. @throws Inconclusive */
async function reached(
  subject: EarlierSubject,
  scenario: Scenario,
  fits: (result: Unchecked) => boolean,
  more?: More,
): Promise<{ readonly result: Unchecked; readonly text: string }> {
  for (const text of subject.texts(scenario)) {
    const { result: found } = await subject.peer.call("message/send", params(text, more));
    if (/[a-z]/.test(normalizedState(found)) && !isEnded(normalizedState(found)))
      subject.open.add(textAt(found, "id"));
    if (fits(found)) return { result: found, text };
  }
  throw new Inconclusive(`no message brought the agent to "${scenario}"`);
}

const is = (state: RegExp) => (found: Unchecked) => state.test(normalizedState(found));
const completed = (subject: EarlierSubject) => reached(subject, "artifact", is(/^completed$/));
const running = (subject: EarlierSubject) =>
  reached(subject, "working", is(/^(working|submitted)$/), { configuration: { blocking: false } });
const asking = (subject: EarlierSubject) => reached(subject, "input-required", is(/^input-required$/));

/** Checks a value against the shapes of the version. @throws Deviation */
function shaped(value: Unchecked, kind: string): void {
  same(at(value, "kind"), kind, "kind");
  checkStatusAndRoles(value);
  checkPartKinds(value, "kind");
  const ids = { task: ["id", "contextId"], message: ["messageId"] }[kind] ?? ["taskId", "contextId"];
  assertTexts(value, ids, `the ${kind}`);
}

function declared({ card }: EarlierSubject, capability: string): void {
  if (at(card, "capabilities", capability) !== true)
    throw new Inconclusive(`the card does not declare ${capability}`);
}

const cardMembers = ["name", "description", "url", "version", "protocolVersion"];
const cardLists = ["defaultInputModes", "defaultOutputModes", "skills"];

const taskChecks: readonly EarlierCheck[] = [
  {
    ids: earlierVersionIds,
    claim: "the card has the members that its version requires",
    over: "card",
    async run({ card }) {
      assertTexts(card, cardMembers, "the card");
      for (const name of cardLists) assert(Array.isArray(at(card, name)), `the card has no list ${name}`);
      assert(typeof at(card, "capabilities") === "object", "the card has no capabilities");
      for (const skill of listAt(card, "skills"))
        assertTexts(skill, ["id", "name", "description"], "a skill");
      for (const [name, scheme] of Object.entries(Object(at(card, "securitySchemes"))))
        assertTexts(scheme, ["type"], `the security scheme ${name}`);
    },
  },
  {
    ids: [...earlierVersionIds, "VER-07"],
    claim: "message/send without a version is answered with a bare task in the shape of this version",
    over: "JSONRPC",
    async run(subject) {
      const { result: task } = await completed(subject);
      shaped(task, "task");
      assert(listAt(task, "artifacts").length > 0, "the task has no artifact");
      for (const artifact of listAt(task, "artifacts")) assertTexts(artifact, ["artifactId"], "an artifact");
    },
  },
  {
    ids: earlierVersionIds,
    claim: "a direct reply is a bare message",
    over: "JSONRPC",
    async run(subject) {
      const { result: message } = await reached(
        subject,
        "message",
        (found) => at(found, "kind") === "message",
      );
      shaped(message, "message");
      same(at(message, "role"), "agent", "the role");
    },
  },
  {
    ids: earlierVersionIds,
    claim: "tasks/get returns the task, with at most as many messages as requested",
    over: "JSONRPC",
    async run(subject) {
      const { result: task } = await completed(subject);
      const id = textAt(task, "id");
      const found = result(await subject.peer.call("tasks/get", { id }), "tasks/get");
      shaped(found, "task");
      same([at(found, "id"), stateIn(found)], [id, "completed"], "the task");
      const short = result(await subject.peer.call("tasks/get", { id, historyLength: 1 }), "tasks/get");
      assert(listAt(short, "history").length <= 1, "historyLength 1 gave more than one message");
    },
  },
  {
    ids: earlierVersionIds,
    claim: "a task that waits for input continues with the next message",
    over: "JSONRPC",
    async run(subject) {
      const { result: task, text } = await asking(subject);
      const taskId = textAt(task, "id");
      const next = await subject.peer.call("message/send", params(text, { message: { taskId } }));
      same(at(result(next, "the next message"), "id"), taskId, "the task");
    },
  },
  {
    ids: earlierVersionIds,
    claim: "a task that has ended accepts no message, and cannot be canceled",
    over: "JSONRPC",
    async run(subject) {
      const { result: task, text } = await completed(subject);
      const taskId = textAt(task, "id");
      const next = await subject.peer.call("message/send", params(text, { message: { taskId } }));
      assert(next.result === undefined, "the message was accepted");
      refusedAs(await subject.peer.call("tasks/cancel", { id: taskId }), "TASK_NOT_CANCELABLE");
    },
  },
  {
    ids: earlierVersionIds,
    claim: "with blocking: false the agent answers before the task has ended, and tasks/cancel ends the task",
    over: "JSONRPC",
    async run(subject) {
      const { result: task } = await running(subject);
      const id = textAt(task, "id");
      const canceled = result(await subject.peer.call("tasks/cancel", { id }), "tasks/cancel");
      shaped(canceled, "task");
      same(stateIn(canceled), "canceled", "the state");
    },
  },
];

const streamChecks: readonly EarlierCheck[] = [
  {
    ids: earlierVersionIds,
    claim: "message/stream sends events with a kind, and marks the last one as final",
    over: "JSONRPC",
    async run(subject) {
      declared(subject, "streaming");
      const { text } = await completed(subject);
      const opened = streaming(await subject.peer.open("message/stream", params(text)));
      const events = await readStream(opened);
      assert(events.length > 0, "there is no event");
      for (const { envelope, value } of events) {
        same(at(envelope, "id"), opened.id, "the id of an event");
        shaped(
          value,
          textAt(value, "kind").replace(/^(?!task|message|status-update|artifact-update)/, "unknown "),
        );
      }
      const finals = events.map(({ value }) => at(value, "final"));
      same(finals.at(-1), true, "final of the last event");
      assert(!finals.slice(0, -1).includes(true), "an event before the last one is final");
      assert(isEnded(stateIn(events.at(-1)?.value)), "the last event does not end the task");
    },
  },
  {
    ids: earlierVersionIds,
    claim: "tasks/resubscribe follows a task to its end",
    over: "JSONRPC",
    async run(subject) {
      declared(subject, "streaming");
      const { result: task } = await running(subject);
      const id = textAt(task, "id");
      const stream = streaming(await subject.peer.open("tasks/resubscribe", { id }));
      const events = readStream(stream);
      result(await subject.peer.call("tasks/cancel", { id }), "tasks/cancel");
      const last = (await events).at(-1)?.value;
      same([stateIn(last), at(last, "final")], ["canceled", true], "state and final of the last event");
    },
  },
  {
    ids: earlierVersionIds,
    claim: "tasks/resubscribe to an unknown task is refused, by the answer or by the only event of a stream",
    over: "JSONRPC",
    async run(subject) {
      declared(subject, "streaming");
      const opened = await subject.peer.open("tasks/resubscribe", { id: crypto.randomUUID() });
      if (!("events" in opened)) return refusedAs(plain(opened), "TASK_NOT_FOUND");
      const [event] = await readStream(opened);
      same(event?.error?.code, errors.TASK_NOT_FOUND.jsonRpcCode, "the code of the error");
    },
  },
];

const url = "https://parley-conformance.example.invalid/";

const pushChecks: readonly EarlierCheck[] = [
  {
    ids: earlierVersionIds,
    claim: "a webhook config is nested, a list is a bare array, and a deletion returns null",
    over: "JSONRPC",
    async run(subject) {
      declared(subject, "pushNotifications");
      const { peer } = subject;
      const { result: task } = await asking(subject);
      const taskId = textAt(task, "id");
      const call = (what: string, values: object) =>
        peer.call(`tasks/pushNotificationConfig/${what}`, values);
      const answer = await call("set", { taskId, pushNotificationConfig: { id: "c", url, token: "t" } });
      const set = result(answer, "set");
      same([at(set, "taskId"), at(set, "pushNotificationConfig", "url")], [taskId, url], "the config");
      const got = result(await call("get", { id: taskId, pushNotificationConfigId: "c" }), "get");
      same(at(got, "pushNotificationConfig", "id"), "c", "the id of the config");
      const list = result(await call("list", { id: taskId }), "list");
      assert(Array.isArray(list) && list.length === 1, `the list is ${excerptOf(list)}`);
      const deleted = await call("delete", { id: taskId, pushNotificationConfigId: "c" });
      same([deleted.result, summary(deleted)], [null, "success"], "the answer to delete");
      same(result(await call("list", { id: taskId }), "list"), [], "the list afterwards");
    },
  },
  {
    ids: earlierVersionIds,
    claim: "a webhook is refused for an unknown task, and by an agent without push notifications",
    over: "JSONRPC",
    async run({ card, peer }) {
      const has = at(card, "capabilities", "pushNotifications") === true;
      const values = { taskId: crypto.randomUUID(), pushNotificationConfig: { url } };
      const answer = await peer.call("tasks/pushNotificationConfig/set", values);
      refusedAs(answer, has ? "TASK_NOT_FOUND" : "PUSH_NOTIFICATION_NOT_SUPPORTED");
    },
  },
];

const extendedCardCheck: EarlierCheck = {
  ids: earlierVersionIds,
  claim: "the extended card has the members that its version requires",
  over: "JSONRPC",
  async run({ card, peer }) {
    if (at(card, "supportsAuthenticatedExtendedCard") !== true)
      throw new Inconclusive("the card does not declare an extended card");
    const answer = await peer.call("agent/getAuthenticatedExtendedCard");
    if (answer.status === 401) throw new Inconclusive("the extended card needs credentials");
    if (answer.error?.code === errors.EXTENDED_AGENT_CARD_NOT_CONFIGURED.jsonRpcCode)
      throw new Inconclusive("the extended card is not configured");
    assertTexts(result(answer, "the extended card"), cardMembers, "the extended card");
  },
};

/** Checks of the version that requests without a version header use (`message/send`), over JSON-RPC. */
export const messageSendSuite: EarlierSuite = {
  version: UNNAMED_VERSION,
  isNamed: false,
  hasOldPath: false,
  checks: [
    ...envelopeChecks("message/send"),
    ...taskChecks,
    ...streamChecks,
    ...pushChecks,
    extendedCardCheck,
  ],
};
