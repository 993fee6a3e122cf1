import { connect } from "a2a-parley/client";

/** The tasks that wait for a credential, each with the function that resumes it. */
const waiting = new Map<string, () => void>();

/** Resolves when the credential for a task arrives; rejects when the signal aborts. */
export function credentialFor(taskId: string, signal: AbortSignal): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    waiting.set(taskId, resolve);
  }).finally(() => waiting.delete(taskId));
}

/** Provides the credential for a task. @returns whether a task of this process waits for it */
export function grantCredential(taskId: string): boolean {
  const grant = waiting.get(taskId);
  grant?.();
  return grant !== undefined;
}

/** Provides the credential for a task that waits in another process, by a message to the task. */
export async function passCredentialOn(agentUrl: string, taskId: string): Promise<boolean> {
  const client = await connect(agentUrl);
  const { status } = await client.getTask({ id: taskId });
  if (status.state !== "TASK_STATE_AUTH_REQUIRED") return false;
  const parts = [{ text: "The credential has arrived." }];
  await client.sendMessage({ message: { messageId: crypto.randomUUID(), role: "ROLE_USER", taskId, parts } });
  return true;
}
