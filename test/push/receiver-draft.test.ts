import assert from "node:assert/strict";
import { test } from "vitest";
import { receiverFor } from "./receiving.js";

/** Bodies of agents of the first draft, and the event that each of them is. */
const bodies: readonly [what: string, body: object, event: object][] = [
  [
    "the form of the guide, with a status",
    {
      taskId: "task-1",
      eventType: "status",
      status: { state: "working" },
      timestamp: "2025-06-01T12:00:00Z",
    },
    {
      statusUpdate: {
        taskId: "task-1",
        contextId: "task-1",
        status: { state: "TASK_STATE_WORKING", timestamp: "2025-06-01T12:00:00Z" },
      },
    },
  ],
  [
    "the form of the guide, with the word for a state",
    { taskId: "task-1", eventType: "status", status: "input-required", timestamp: "2025-06-01T12:00:00" },
    {
      statusUpdate: {
        taskId: "task-1",
        contextId: "task-1",
        status: { state: "TASK_STATE_INPUT_REQUIRED", timestamp: "2025-06-01T12:00:00Z" },
      },
    },
  ],
  [
    "the form of the guide, with an artifact",
    { taskId: "task-1", eventType: "artifact", artifact: { index: 1, parts: [{ type: "text", text: "x" }] } },
    {
      artifactUpdate: {
        taskId: "task-1",
        contextId: "task-1",
        artifact: { artifactId: "artifact-1", parts: [{ text: "x" }] },
      },
    },
  ],
  [
    "an event with a type that says what it is",
    { taskId: "task-1", eventType: "TASK_UPDATE", status: { state: "completed" }, summary: "All done" },
    { statusUpdate: { taskId: "task-1", contextId: "task-1", status: { state: "TASK_STATE_COMPLETED" } } },
  ],
  [
    "a whole task",
    { id: "task-1", sessionId: "s", status: { state: "completed" }, artifacts: [], metadata: { k: 1 } },
    {
      task: {
        id: "task-1",
        contextId: "s",
        status: { state: "TASK_STATE_COMPLETED" },
        artifacts: [],
        metadata: { k: 1 },
      },
    },
  ],
  [
    "a change of status",
    { id: "task-1", status: { state: "failed" }, final: true },
    { statusUpdate: { taskId: "task-1", contextId: "task-1", status: { state: "TASK_STATE_FAILED" } } },
  ],
  [
    "a change of status of the flat dialect in snake_case",
    { type: "TaskStatusUpdateEvent", task_id: "task-1", context_id: "c", status: { state: "auth_required" } },
    { statusUpdate: { taskId: "task-1", contextId: "c", status: { state: "TASK_STATE_AUTH_REQUIRED" } } },
  ],
];
for (const [what, body, event] of bodies) {
  test(`HOOK-09: a notification of an agent of the first draft is taken: ${what}`, async () => {
    const { send, taken } = receiverFor();
    const headers = { "content-type": "application/json", authorization: "Bearer secret" };
    assert.equal(await send({ headers, body: JSON.stringify(body) }), 204);
    assert.deepEqual(taken[0]?.event, event);
    assert.equal(taken[0]?.taskId, "task-1");
  });
}

for (const [what, body] of [
  ["a state that is none", { taskId: "task-1", eventType: "status", status: "dancing" }],
  ["no task", { eventType: "status", status: { state: "working" } }],
  ["no status", { taskId: "task-1", eventType: "status" }],
] as const) {
  test(`HOOK-09: a notification of the first draft is refused with 400: ${what}`, async () => {
    const { send, taken } = receiverFor();
    const headers = { "x-a2a-notification-token": "secret", "content-type": "application/json" };
    assert.equal(await send({ headers, body: JSON.stringify(body) }), 400);
    assert.equal(taken.length, 0);
  });
}

const headers = { "content-type": "application/json", authorization: "Bearer secret" };
const status = { state: "TASK_STATE_WORKING" };
const wrapped: readonly (readonly [string, object])[] = [
  ["task", { id: "task-1", contextId: "c", status }],
  ["message", { messageId: "m", taskId: "task-1", role: "ROLE_AGENT", parts: [{ text: "t" }] }],
  ["statusUpdate", { taskId: "task-1", contextId: "c", status }],
  ["status_update", { task_id: "task-1", context_id: "c", status }],
  [
    "artifactUpdate",
    { taskId: "task-1", contextId: "c", artifact: { artifactId: "a", parts: [{ text: "t" }] } },
  ],
];
/** Unknown members of an event of 1.0 with the names of members of an event of the first draft. */
const draftMembers: readonly object[] = [
  { type: "x" },
  { eventType: "status" },
  { status: "working" },
  { status: { state: "working" } },
  { artifact: { parts: [] } },
  { id: "event-1", type: "x" },
];
for (const [name, value] of wrapped) {
  test(`HOOK-09, JSON-04: unknown members beside ${name} may have names of the first draft`, async () => {
    const eventOf = async (more: object) => {
      const { send, taken } = receiverFor();
      const body = JSON.stringify({ ...more, [name]: value });
      assert.equal(await send({ headers, body }), 204, body);
      const { task, message, statusUpdate, artifactUpdate } = taken[0]?.event ?? {};
      return { task, message, statusUpdate, artifactUpdate };
    };
    const plain = await eventOf({});
    for (const more of draftMembers) assert.deepEqual(await eventOf(more), plain);
  });
}

test("HOOK-09, JSON-04: the id and status of a task may be repeated beside it", async () => {
  const { send, taken } = receiverFor();
  const task = { id: "task-1", contextId: "c", status };
  const body = JSON.stringify({ taskId: "task-1", status, task });
  assert.equal(await send({ headers, body }), 204);
  assert.deepEqual(taken[0]?.event.task, task);
});

test("HOOK-02: a token comes back in a header for tokens, or in Authorization, and must be the one that was handed out", async () => {
  const { send } = receiverFor();
  for (const authorization of ["Bearer secret", "Token secret", "token secret"])
    assert.equal(await send({ headers: { authorization } }), 204, authorization);
  for (const authorization of ["secret", "Basic secret", "Bearer secret2", "Bearer", "Bearer "])
    assert.equal(await send({ headers: { authorization } }), 401, authorization);
  const wrong = { authorization: "Bearer secret", "x-a2a-notification-token": "other" };
  assert.equal(await send({ headers: wrong }), 401);
});

test("HOOK-02: credentials are looked for in the header that was named, and nowhere else", async () => {
  const { send } = receiverFor({
    expect: () => ({ authorization: "Token secret", header: "X-Webhook-Token" }),
  });
  assert.equal(await send({ headers: { "x-webhook-token": "Token secret" } }), 204);
  assert.equal(await send({ headers: { authorization: "Token secret" } }), 401);
  assert.equal(await send({ headers: { "x-webhook-token": "Token other" } }), 401);
});

test("HOOK-02: credentials that are sent without a scheme are compared in the case in which they were handed out", async () => {
  const { send } = receiverFor({ expect: () => ({ authorization: "PlainKey", header: "X-Api-Key" }) });
  assert.equal(await send({ headers: { "x-api-key": "plainkey" } }), 401);
  assert.equal(await send({ headers: { "x-api-key": "PlainKey" } }), 204);
});

test("HOOK-02: in a header that was named, the first word of credentials is no scheme, except Bearer and Token", async () => {
  const expecting = (authorization: string) =>
    receiverFor({ expect: () => ({ authorization, header: "X-Api-Key" }) });
  const { send } = expecting("correct horse");
  assert.equal(await send({ headers: { "x-api-key": "CORRECT horse" } }), 401);
  assert.equal(await send({ headers: { "x-api-key": "correct horse" } }), 204);
  assert.equal(await expecting("bearer a").send({ headers: { "x-api-key": "Bearer a" } }), 204);
});
