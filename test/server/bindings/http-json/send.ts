import assert from "node:assert/strict";
import { A2AError } from "../../../../src/protocol/errors.js";
import type { HostRequest } from "../../../../src/server/host.js";
import { answerHttpJson, httpRequest, type Json } from "../exchange.js";
import { type Scripted, scripted } from "../scripted-agent.js";

/** What the agent below answers. */
export const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" as const } };
export const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] };
export const config = { taskId: "t", id: "p", url: "https://x.example" };
/** An agent that answers every kind of operation; its stream fails after the first event. */
export const agent = () =>
  scripted({
    sendMessage: async () => ({ task }),
    getTask: async () => task,
    cancelTask: async () => task,
    listTasks: async () => ({ tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 }),
    createTaskPushNotificationConfig: async () => config,
    deleteTaskPushNotificationConfig: async () => null,
    async *subscribeToTask() {
      yield { task };
      throw new A2AError("UNAVAILABLE", "Going down");
    },
  });

/** An answer and the agent that gave it. */
export interface Answer {
  readonly status: number;
  readonly headers: Json;
  readonly json: Json;
  readonly agent: Scripted;
}

/** Sends a request that is answered at once to a new {@link agent}. */
export async function send(method: string, path: string, more: Partial<HostRequest> = {}): Promise<Answer> {
  const served = agent();
  const reply = await answerHttpJson(httpRequest({ method, path, ...more }), served);
  assert.ok("body" in reply);
  return {
    status: reply.status,
    headers: reply.headers,
    json: JSON.parse(String(reply.body)),
    agent: served,
  };
}

/** A JSON body. */
export const body = (value: unknown) => ({ body: JSON.stringify(value) });
