import assert from "node:assert/strict";
import { test } from "vitest";
import { readContract } from "./read-contract.js";

const { schema, operations: file } = readContract("1.0");
const { operations, commonErrors, errors } = file;
const codes = errors.map(({ code }) => code);

/** Operation, capability that it needs, and the errors of its own. Literal, so that changing it is a decision. */
const expectedOperations = `
SendMessage - TASK_NOT_FOUND PUSH_NOTIFICATION_NOT_SUPPORTED UNSUPPORTED_OPERATION CONTENT_TYPE_NOT_SUPPORTED INVALID_AGENT_RESPONSE EXTENSION_SUPPORT_REQUIRED
SendStreamingMessage streaming TASK_NOT_FOUND PUSH_NOTIFICATION_NOT_SUPPORTED UNSUPPORTED_OPERATION CONTENT_TYPE_NOT_SUPPORTED INVALID_AGENT_RESPONSE EXTENSION_SUPPORT_REQUIRED
GetTask - TASK_NOT_FOUND EXTENSION_SUPPORT_REQUIRED
ListTasks - EXTENSION_SUPPORT_REQUIRED
CancelTask - TASK_NOT_FOUND TASK_NOT_CANCELABLE EXTENSION_SUPPORT_REQUIRED
SubscribeToTask streaming TASK_NOT_FOUND UNSUPPORTED_OPERATION EXTENSION_SUPPORT_REQUIRED
CreateTaskPushNotificationConfig pushNotifications TASK_NOT_FOUND PUSH_NOTIFICATION_NOT_SUPPORTED EXTENSION_SUPPORT_REQUIRED
GetTaskPushNotificationConfig pushNotifications TASK_NOT_FOUND PUSH_NOTIFICATION_NOT_SUPPORTED EXTENSION_SUPPORT_REQUIRED
ListTaskPushNotificationConfigs pushNotifications TASK_NOT_FOUND PUSH_NOTIFICATION_NOT_SUPPORTED EXTENSION_SUPPORT_REQUIRED
DeleteTaskPushNotificationConfig pushNotifications TASK_NOT_FOUND PUSH_NOTIFICATION_NOT_SUPPORTED EXTENSION_SUPPORT_REQUIRED
GetExtendedAgentCard extendedAgentCard UNSUPPORTED_OPERATION EXTENDED_AGENT_CARD_NOT_CONFIGURED
`;

/** Code, name, JSON-RPC code, HTTP status of JSON-RPC, HTTP status and status name of HTTP+JSON, kind. */
const expectedErrors = `
TASK_NOT_FOUND TaskNotFoundError -32001 200 404 NOT_FOUND protocol
TASK_NOT_CANCELABLE TaskNotCancelableError -32002 200 400 FAILED_PRECONDITION protocol
PUSH_NOTIFICATION_NOT_SUPPORTED PushNotificationNotSupportedError -32003 200 400 FAILED_PRECONDITION protocol
UNSUPPORTED_OPERATION UnsupportedOperationError -32004 200 400 FAILED_PRECONDITION protocol
CONTENT_TYPE_NOT_SUPPORTED ContentTypeNotSupportedError -32005 200 400 INVALID_ARGUMENT protocol
INVALID_AGENT_RESPONSE InvalidAgentResponseError -32006 200 500 INTERNAL protocol
EXTENDED_AGENT_CARD_NOT_CONFIGURED ExtendedAgentCardNotConfiguredError -32007 200 400 FAILED_PRECONDITION protocol
EXTENSION_SUPPORT_REQUIRED ExtensionSupportRequiredError -32008 200 400 FAILED_PRECONDITION protocol
VERSION_NOT_SUPPORTED VersionNotSupportedError -32009 200 400 FAILED_PRECONDITION protocol
PARSE_ERROR ParseError -32700 200 400 INVALID_ARGUMENT standard
INVALID_REQUEST InvalidRequestError -32600 200 400 INVALID_ARGUMENT standard
METHOD_NOT_FOUND MethodNotFoundError -32601 200 404 NOT_FOUND standard
INVALID_PARAMS InvalidParamsError -32602 200 400 INVALID_ARGUMENT standard
INTERNAL_ERROR InternalError -32603 200 500 INTERNAL standard
UNAUTHENTICATED UnauthenticatedError -32000 401 401 UNAUTHENTICATED transport
PERMISSION_DENIED PermissionDeniedError -32000 403 403 PERMISSION_DENIED transport
REQUEST_TOO_LARGE RequestTooLargeError -32600 413 413 RESOURCE_EXHAUSTED transport
RATE_LIMITED RateLimitedError -32000 429 429 RESOURCE_EXHAUSTED transport
UNAVAILABLE UnavailableError -32603 503 503 UNAVAILABLE transport
DEADLINE_EXCEEDED DeadlineExceededError -32603 504 504 DEADLINE_EXCEEDED transport
`;

function linesOf(table: string): string[] {
  return table.trim().split("\n");
}

test("the operations have their order, their capability and their own errors", () => {
  assert.deepEqual(
    operations.map((it) => [it.name, it.capability ?? "-", ...it.errors].join(" ")),
    linesOf(expectedOperations),
  );
});

test("the error table maps each code to both bindings", () => {
  const actual = errors.map((it) =>
    [it.code, it.name, it.jsonRpcCode, it.jsonRpcHttpStatus, it.httpStatus, it.status, it.kind].join(" "),
  );
  assert.deepEqual(actual, linesOf(expectedErrors));
});

test("ERR-09: the code of a protocol error is its name without Error in upper snake case", () => {
  const protocolErrors = errors.filter(({ kind }) => kind === "protocol");
  const upperSnake = (name: string) =>
    name
      .replace(/Error$/, "")
      .replace(/(?<=[a-z])(?=[A-Z])/g, "_")
      .toUpperCase();
  assert.deepEqual(
    protocolErrors.map(({ name }) => upperSnake(name)),
    protocolErrors.map(({ code }) => code),
  );
  assert.equal(protocolErrors.length, 9);
});

test("every error named by an operation or common to all is in the error table", () => {
  const named = [...operations.flatMap((it) => it.errors), ...commonErrors];
  assert.deepEqual(
    named.filter((code) => !codes.includes(code)),
    [],
  );
});

test("every error of the table can come from some operation", () => {
  const named = new Set([...operations.flatMap((it) => it.errors), ...commonErrors]);
  assert.deepEqual(
    codes.filter((code) => !named.has(code)),
    [],
  );
});

test("standard and transport errors are common to all operations, with the two protocol errors of the envelope", () => {
  const general = errors.filter(({ kind }) => kind !== "protocol").map(({ code }) => code);
  assert.deepEqual(commonErrors, ["CONTENT_TYPE_NOT_SUPPORTED", "VERSION_NOT_SUPPORTED", ...general]);
});

test("no operation names an error twice, and no code or error name is used twice", () => {
  const lists = [...operations.map((it) => it.errors), commonErrors, codes, errors.map(({ name }) => name)];
  for (const list of lists) assert.deepEqual([...new Set(list)], list);
});

test("every operation and every error has a description, and every error a message", () => {
  const undescribed = [...operations, ...errors].filter(
    ({ description }) => !/^[A-Z].*\.$/.test(description),
  );
  assert.deepEqual(undescribed, []);
  assert.deepEqual(
    errors.filter(({ message }) => !/^[A-Z].*[^.]$/.test(message)),
    [],
  );
});

test("requests and responses are types of the schema, and capabilities are flags of AgentCapabilities", () => {
  const types = operations.flatMap(({ request, response }) => [
    request,
    ...(response === null ? [] : [response]),
  ]);
  assert.deepEqual(
    types.filter((type) => !Object.hasOwn(schema.$defs, type)),
    [],
  );
  const flags = schema.$defs.AgentCapabilities?.properties ?? {};
  const capabilities = operations.flatMap(({ capability }) => (capability === null ? [] : [capability]));
  assert.deepEqual(
    capabilities.filter((capability) => flags[capability]?.type !== "boolean"),
    [],
  );
});

test("every variable of a path is a string member of the request", () => {
  const unknown = operations.flatMap(({ name, request, http }) => {
    const members = schema.$defs[request]?.properties ?? {};
    const variables = http.flatMap(({ path }) =>
      [...path.matchAll(/\{(.*?)\}/g)].map(([, variable]) => variable ?? ""),
    );
    return variables.filter((variable) => members[variable]?.type !== "string").map((it) => `${name}.${it}`);
  });
  assert.deepEqual(unknown, []);
});

test("every path also exists below a leading tenant segment", () => {
  for (const { name, http } of operations) {
    const routes = http.map(({ verb, path }) => `${verb} ${path}`);
    const plain = http.filter(({ path }) => !path.startsWith("/{tenant}/"));
    const expected = plain.flatMap(({ verb, path }) => [`${verb} ${path}`, `${verb} /{tenant}${path}`]);
    assert.deepEqual(routes.toSorted(), expected.toSorted(), name);
  }
});
