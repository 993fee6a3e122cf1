import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import { test } from "vitest";
import type { paths } from "../../../../generated/v1.0/index.js";
import { completed, defineAgent, inputRequired } from "../../../../src/index.js";
import { plainCard, serveFor } from "../../../support/peer.js";

const agent = defineAgent({
  card: { ...plainCard, capabilities: { pushNotifications: true } },
  extendedCard: () => ({ description: "Tells more." }),
  async *execute({ text }) {
    yield text === "ask" ? inputRequired("Which one?") : completed(`Done: ${text}`);
  },
});

const send = (text: string) => ({
  message: { messageId: crypto.randomUUID(), role: "ROLE_USER" as const, parts: [{ text }] },
});

test("RESTB-06, RESTB-07, REST-01: a client typed by the paths of the OpenAPI document calls every operation", async (t) => {
  const { url } = await serveFor(t, agent, { push: {}, auth: { authenticate: () => ({ id: "ann" }) } });
  const client = createClient<paths>({ baseUrl: url, headers: { "A2A-Version": "1.0" } });

  const sent = await client.POST("/message:send", { body: send("ask") });
  const id = sent.data?.task?.id ?? "";
  assert.equal(sent.data?.task?.status.state, "TASK_STATE_INPUT_REQUIRED");

  const read = await client.GET("/tasks/{id}", { params: { path: { id }, query: { historyLength: 1 } } });
  assert.equal(read.data?.history?.length, 1);

  const page = await client.GET("/tasks", { params: { query: { pageSize: 10, includeArtifacts: true } } });
  assert.deepEqual(
    page.data?.tasks.map((task) => task.id),
    [id],
  );

  const params = { path: { taskId: id } };
  const made = await client.POST("/tasks/{taskId}/pushNotificationConfigs", {
    params,
    body: { url: "https://hooks.example/a" },
  });
  const hook = { path: { taskId: id, id: made.data?.id ?? "" } };
  const one = await client.GET("/tasks/{taskId}/pushNotificationConfigs/{id}", { params: hook });
  assert.equal(one.data?.url, "https://hooks.example/a");
  const all = await client.GET("/tasks/{taskId}/pushNotificationConfigs", { params });
  assert.equal(all.data?.configs?.length, 1);
  const gone = await client.DELETE("/tasks/{taskId}/pushNotificationConfigs/{id}", { params: hook });
  assert.equal(gone.response.status, 200);

  const streamed = await client.POST("/message:stream", { body: send("stream"), parseAs: "text" });
  assert.match(streamed.data ?? "", /TASK_STATE_COMPLETED/);
  const followed = await client.GET("/tasks/{id}:subscribe", { params: { path: { id } }, parseAs: "stream" });
  assert.equal(followed.response.headers.get("content-type"), "text/event-stream");
  const stopped = await client.POST("/tasks/{id}:cancel", { params: { path: { id } }, body: {} });
  assert.equal(stopped.data?.status.state, "TASK_STATE_CANCELED");
  await followed.data?.cancel();

  const card = await client.GET("/extendedAgentCard");
  assert.equal(card.data?.description, "Tells more.");
});

test("ERR-06, REST-09: an error of a client typed by the paths is the document's error", async (t) => {
  const { url } = await serveFor(t, agent, { push: {} });
  const client = createClient<paths>({ baseUrl: url, headers: { "A2A-Version": "1.0" } });
  const { data, error } = await client.GET("/tasks/{id}", { params: { path: { id: "none" } } });
  assert.equal(data, undefined);
  assert.equal(error?.error.status, "NOT_FOUND");
  // @ts-expect-error the document has no such path
  await client.GET("/task/{id}", {});
  // @ts-expect-error the path has a variable
  await client.GET("/tasks/{id}", {}).catch(() => undefined);
});
