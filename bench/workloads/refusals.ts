import { Connection } from "../driver/connection.js";
import { cpuPerRequest, expect } from "../driver/load.js";
import { call, post, send } from "../driver/requests.js";
import type { Ready } from "../targets/control.js";
import type { Workload } from "../workload.js";

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const TASK_NOT_FOUND = -32001;
const PUSH_NOT_SUPPORTED = -32003;
const CONTENT_TYPE_NOT_SUPPORTED = -32005;
const VERSION_NOT_SUPPORTED = -32009;

/** A request that no server should accept, and the code that it should be refused with (§9.5). */
interface Invalid {
  readonly code: number;
  readonly bytes: Buffer;
}

const part = { text: "echo this" };
const message = { messageId: "m-1", role: "ROLE_USER", parts: [part] };

/** The message without a member. */
function without(name: keyof typeof message): object {
  return Object.fromEntries(Object.entries(message).filter(([key]) => key !== name));
}

/** A request with a line of its head replaced. */
function withHead(request: Buffer, from: string, to: string): Buffer {
  return Buffer.from(request.toString().replace(from, to));
}

/** The kinds of invalid request, written for the JSON-RPC endpoint of a server. */
function invalidRequests(ready: Ready): readonly Invalid[] {
  const raw = (code: number, body: unknown): Invalid => ({
    code,
    bytes: post(ready.jsonRpc, typeof body === "string" ? body : JSON.stringify(body)),
  });
  const operation = (code: number, method: string, params: object): Invalid => ({
    code,
    bytes: call(ready, method, params as Readonly<Record<string, unknown>>),
  });
  const sent = (value: object) => operation(INVALID_PARAMS, "SendMessage", { message: value });
  const listed = (query: object) => operation(INVALID_PARAMS, "ListTasks", query);
  const valid = call(ready, "SendMessage", { message });
  return [
    raw(PARSE_ERROR, "{"),
    raw(PARSE_ERROR, "echo this"),
    raw(INVALID_REQUEST, []),
    raw(INVALID_REQUEST, { id: 1, method: "SendMessage", params: { message } }),
    raw(INVALID_REQUEST, { jsonrpc: "1.0", id: 1, method: "SendMessage", params: { message } }),
    raw(INVALID_REQUEST, { jsonrpc: "2.0", id: 1, params: { message } }),
    raw(INVALID_REQUEST, { jsonrpc: "2.0", id: 1, method: 7, params: { message } }),
    raw(INVALID_REQUEST, { jsonrpc: "2.0", id: {}, method: "SendMessage", params: { message } }),
    raw(METHOD_NOT_FOUND, { jsonrpc: "2.0", id: 1, method: "Sing", params: {} }),
    raw(INVALID_PARAMS, { jsonrpc: "2.0", id: 1, method: "SendMessage" }),
    {
      code: CONTENT_TYPE_NOT_SUPPORTED,
      bytes: withHead(valid, "Content-Type: application/json", "Content-Type: text/plain"),
    },
    { code: VERSION_NOT_SUPPORTED, bytes: withHead(valid, "A2A-Version: 1.0", "A2A-Version: 9.9") },
    operation(INVALID_PARAMS, "SendMessage", {}),
    sent(without("messageId")),
    sent(without("role")),
    sent(without("parts")),
    sent({ ...message, messageId: "" }),
    sent({ ...message, role: "ROLE_KING" }),
    sent({ ...message, parts: [] }),
    sent({ ...message, parts: [{}] }),
    sent({ ...message, parts: [{ text: "one", url: "https://example.com/two" }] }),
    sent({ ...message, parts: [{ text: 7 }] }),
    sent({ ...message, parts: [{ raw: "not base64!" }] }),
    sent({ ...message, parts: "text" }),
    operation(INVALID_PARAMS, "SendMessage", { message, configuration: { historyLength: -1 } }),
    operation(TASK_NOT_FOUND, "SendMessage", { message: { ...message, taskId: "unknown" } }),
    operation(TASK_NOT_FOUND, "GetTask", { id: "unknown" }),
    operation(INVALID_PARAMS, "GetTask", {}),
    operation(TASK_NOT_FOUND, "CancelTask", { id: "unknown" }),
    operation(TASK_NOT_FOUND, "SubscribeToTask", { id: "unknown" }),
    listed({ pageSize: 0 }),
    listed({ status: "TASK_STATE_RESTING" }),
    listed({ pageToken: "not a token" }),
    operation(PUSH_NOT_SUPPORTED, "GetTaskPushNotificationConfig", { taskId: "unknown", id: "unknown" }),
  ];
}

const COUNT = 200;

/** Requests that break the contract. */
export const refusals: Workload = {
  name: "invalid requests",
  about: "34 kinds of request that break the contract, over JSON-RPC, and what refusing them costs.",
  measures: [
    { key: "right", label: "refused with the right code, of 34", unit: "", goal: 34, atLeast: true },
    { key: "accepted", label: "accepted as valid", unit: "", goal: 0 },
    { key: "cost", label: "CPU of one against a valid echo", unit: "×", goal: 0.9 },
  ],
  targets: ["sdk", "parley"],
  often: 4,
  shared: true,
  async visit(server, { scale }) {
    const kinds = invalidRequests(server.ready);
    let right = 0;
    let accepted = 0;
    const connection = await Connection.open(server.port);
    for (const { code, bytes } of kinds) {
      const { body } = await connection.request(bytes);
      const answer = readAnswer(body.toString());
      if (answer?.error?.code === code) right += 1;
      if (answer?.result !== undefined) accepted += 1;
    }
    connection.close();
    const count = COUNT * scale;
    const load = { count, connections: 16, check: () => undefined };
    const invalid = (index: number) => kinds[index % kinds.length]?.bytes ?? Buffer.of();
    const ofInvalid = () => cpuPerRequest(server, { ...load, request: invalid });
    const valid = () => send(server.ready, "echo this");
    const ofValid = () => cpuPerRequest(server, { ...load, request: valid, check: expect('"ROLE_AGENT"') });
    // In both orders, because the first one finds the caches of the machine filled by another server.
    const costs = [await ofValid(), await ofInvalid(), await ofInvalid(), await ofValid()] as const;
    return { right, accepted, cost: (costs[1] + costs[2]) / (costs[0] + costs[3]) };
  },
};

/** The body as JSON; undefined when it is something else, such as a page for people. */
function readAnswer(body: string): { result?: unknown; error?: { code?: unknown } } | undefined {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
