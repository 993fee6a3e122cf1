/** Tasks that wait for a credential, and what tells them that it came. */
const waiting = new Map<string, () => void>();

/** Resolves when the credential for a task arrives; rejects when the signal aborts. */
export function credentialFor(taskId: string, signal: AbortSignal): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    waiting.set(taskId, resolve);
  }).finally(() => waiting.delete(taskId));
}

/** Hands in the credential for a task. */
export function grantCredential(taskId: string): boolean {
  const grant = waiting.get(taskId);
  grant?.();
  return grant !== undefined;
}
