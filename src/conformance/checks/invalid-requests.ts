import type { BindingName, OperationName } from "../../protocol/operations.js";
import type { BindingCheck, Subject } from "../check.js";
import { assert, refused } from "../expect.js";
import { listAt, textAt } from "../json.js";
import { Deviation, Inconclusive } from "../verdict.js";

/** A request with exactly one invalid member. */
interface InvalidRequest {
  readonly ids: readonly string[];
  readonly claim: string;
  readonly operation?: OperationName;
  /** The parameters, built for each call around a valid message. */
  readonly params: (message: Record<string, unknown>) => object;
  /** Path that the error must name. */
  readonly field: string;
  readonly over?: BindingName;
}

const sends = (change: object) => (message: Record<string, unknown>) => ({
  message: { ...message, ...change },
});
const without = (name: string) => (message: Record<string, unknown>) => {
  const { [name]: _, ...rest } = message;
  return { message: rest };
};
const configured = (configuration: object) => (message: Record<string, unknown>) => ({
  message,
  configuration,
});
const parts = (...list: readonly unknown[]) => sends({ parts: list });

const invalid: readonly InvalidRequest[] = [
  {
    ids: ["OP-SEND-03", "JSON-08"],
    claim: "a send without a message is refused",
    params: () => ({}),
    field: "message",
  },
  {
    ids: ["OBJ-01"],
    claim: "a message without an id is refused",
    params: without("messageId"),
    field: "message.messageId",
  },
  {
    ids: ["OBJ-01", "JSON-06"],
    claim: "a message with an empty id is refused",
    params: sends({ messageId: "" }),
    field: "message.messageId",
  },
  {
    ids: ["OP-SEND-19"],
    claim: "a message without a role is refused",
    params: without("role"),
    field: "message.role",
  },
  {
    ids: ["OP-SEND-19"],
    claim: "a message with an unspecified role is refused",
    params: sends({ role: "ROLE_UNSPECIFIED" }),
    field: "message.role",
  },
  {
    ids: ["OP-SEND-20"],
    claim: "a caller cannot speak as the agent",
    params: sends({ role: "ROLE_AGENT" }),
    field: "message.role",
  },
  {
    ids: ["OP-SEND-21"],
    claim: "a role in the spelling of earlier versions is refused",
    params: sends({ role: "user" }),
    field: "message.role",
  },
  {
    ids: ["JSONV-03"],
    claim: "a role that does not exist is refused",
    params: sends({ role: "ROLE_NOBODY" }),
    field: "message.role",
  },
  {
    ids: ["JSONV-04"],
    claim: "the number of a role that does not exist is refused",
    params: sends({ role: 77 }),
    field: "message.role",
  },
  {
    ids: ["OBJ-04"],
    claim: "a message without parts is refused",
    params: without("parts"),
    field: "message.parts",
  },
  {
    ids: ["OBJ-04", "JSON-06"],
    claim: "a message with an empty list of parts is refused",
    params: parts(),
    field: "message.parts",
  },
  {
    ids: ["OBJ-06", "OBJ-05"],
    claim: "a part without content is refused",
    params: parts({ text: "x" }, {}),
    field: "message.parts[1]",
  },
  {
    ids: ["OBJ-06", "JSONV-16"],
    claim: "a part with two contents is refused",
    params: parts({ text: "x" }, { text: "x", url: "https://example.com/" }),
    field: "message.parts[1]",
  },
  {
    ids: ["JSON-12"],
    claim: "null in place of a part is refused",
    params: parts({ text: "x" }, null),
    field: "message.parts[1]",
  },
  {
    ids: ["JSON-11"],
    claim: "null for a required member counts as missing",
    params: sends({ parts: null }),
    field: "message.parts",
  },
  {
    ids: ["OBJ-01"],
    claim: "a text that is not a string is refused",
    params: parts({ text: 5 }),
    field: "message.parts[0].text",
  },
  {
    ids: ["JSONV-09"],
    claim: "bytes that are not base64 are refused",
    params: parts({ raw: "not base64!" }),
    field: "message.parts[0].raw",
  },
  {
    ids: ["JSONV-14", "OBJT-08"],
    claim: "metadata that is a list is refused",
    params: sends({ metadata: [] }),
    field: "message.metadata",
  },
  {
    ids: ["JSONV-07"],
    claim: "a boolean in quotes is refused",
    params: configured({ returnImmediately: "true" }),
    field: "configuration.returnImmediately",
  },
  {
    ids: ["JSONV-06"],
    claim: "a fraction in place of an integer is refused",
    params: configured({ historyLength: 1.5 }),
    field: "configuration.historyLength",
  },
  {
    ids: ["JSONV-06"],
    claim: "a number beyond 32 bits is refused",
    params: configured({ historyLength: 2 ** 40 }),
    field: "configuration.historyLength",
  },
  {
    ids: ["HIST-06"],
    claim: "a send with a negative historyLength is refused",
    params: configured({ historyLength: -1 }),
    field: "configuration.historyLength",
  },
  {
    ids: ["OP-GET-05"],
    claim: "reading a task with an empty id is refused",
    operation: "GetTask",
    params: () => ({ id: "" }),
    field: "id",
    over: "JSONRPC",
  },
  {
    ids: ["HIST-06"],
    claim: "reading a task with a negative historyLength is refused",
    operation: "GetTask",
    params: () => ({ id: "none", historyLength: -1 }),
    field: "historyLength",
  },
  {
    ids: ["OP-LIST-11", "JSONV-03"],
    claim: "a list by a state that does not exist is refused",
    operation: "ListTasks",
    params: () => ({ status: "TASK_STATE_BORED" }),
    field: "status",
  },
  {
    ids: ["OP-LIST-13"],
    claim: "a list by an invalid time is refused",
    operation: "ListTasks",
    params: () => ({ statusTimestampAfter: "yesterday" }),
    field: "statusTimestampAfter",
  },
  {
    ids: ["PAGE-03", "PAGE-04"],
    claim: "a page size of 0 is refused",
    operation: "ListTasks",
    params: () => ({ pageSize: 0 }),
    field: "pageSize",
  },
  {
    ids: ["PAGE-03", "PAGE-04"],
    claim: "a page size above 100 is refused",
    operation: "ListTasks",
    params: () => ({ pageSize: 101 }),
    field: "pageSize",
  },
  {
    ids: ["PAGE-07"],
    claim: "a page token that the agent did not issue is refused",
    operation: "ListTasks",
    params: () => ({ pageToken: "made up" }),
    field: "pageToken",
  },
  {
    ids: ["HIST-06"],
    claim: "a list with a negative historyLength is refused",
    operation: "ListTasks",
    params: () => ({ historyLength: -1 }),
    field: "historyLength",
  },
];

async function attempt({ peer, scenarios }: Subject, request: InvalidRequest) {
  const { message } = scenarios.plain();
  return peer.call(request.operation ?? "SendMessage", request.params({ ...message }));
}

/** Checks that invalid requests are refused with the name of the invalid member (§3.3.2, §5.7). */
export const invalidRequestChecks: readonly BindingCheck[] = [
  ...invalid.map(
    (request): BindingCheck => ({
      ids: request.ids,
      claim: `${request.claim}, naming ${request.field}`,
      ...(request.over && { over: request.over }),
      async run(subject) {
        refused(await attempt(subject, request), "INVALID_PARAMS", request.field);
      },
    }),
  ),
  {
    ids: ["ERR-23"],
    claim: "a message that was refused as invalid creates no task",
    async run({ peer, scenarios }) {
      const contextId = crypto.randomUUID();
      const { message } = scenarios.plain({ message: { contextId, parts: [] } });
      await peer.call("SendMessage", { message });
      const { result: page } = await peer.call("ListTasks", { contextId });
      const id = textAt(page, "tasks", 0, "id");
      if (id !== "") throw new Deviation(`the agent created task ${id}`);
    },
  },
  {
    ids: ["ERR-24"],
    claim: "a validation error describes what is wrong",
    async run({ peer, scenarios }) {
      const { message } = scenarios.plain({ message: { parts: [] } });
      const { error } = await peer.call("SendMessage", { message });
      if (error === undefined) throw new Inconclusive("the agent accepts an invalid message");
      const violations = listAt(error.details).flatMap((detail) => listAt(detail, "fieldViolations"));
      assert(
        violations.some((one) => textAt(one, "description") !== ""),
        "no violation has a description",
      );
    },
  },
];
