import { generateKeyPairSync } from "node:crypto";
import type { PushNotification, PushReceiverOptions, PushRequest } from "../../src/push/index.js";
import { pushReceiver } from "../../src/push/index.js";
import { type PushKey, Signer } from "../../src/push/signer.js";
import { NotingLogger } from "./desk.js";

export const event = {
  statusUpdate: { taskId: "task-1", contextId: "c", status: { state: "TASK_STATE_WORKING" } },
};
export const body = JSON.stringify(event);
export const url = "https://hooks.example/hook";
export const issuer = "https://agent.example";
export const now = Date.parse("2025-06-01T12:00:00Z");

export const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const key: PushKey = { key: privateKey, kid: "one", alg: "ES256" };
export const signer = new Signer({ issuer, keys: [key] });

/** A receiver that expects task-1 with one secret, and what it has handed over. */
export function receiverFor(options: Partial<PushReceiverOptions> = {}) {
  const taken: PushNotification[] = [];
  const logger = new NotingLogger();
  const receiver = pushReceiver({
    expect: ({ taskId }) => (taskId === "task-1" ? { token: "secret" } : undefined),
    onNotification: (notification) => void taken.push(notification),
    logger,
    now: () => now,
    ...options,
  });
  const send = async (request: Partial<PushRequest> & { headers?: object }) => {
    const headers = { "content-type": "application/a2a+json", ...request.headers };
    return (await receiver.receive({ method: "POST", url: "/hook", body, ...request, headers })).status;
  };
  return { receiver, send, taken, logger };
}
