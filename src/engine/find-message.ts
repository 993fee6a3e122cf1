import type { Message } from "../model.js";
import type { TaskLog } from "./task-log.js";

/**
 * Looks for a caller's message in the log of a task.
 * @returns the generation that records it; undefined when there is no such task, or no such message in it
 */
export async function findMessage(
  { store, scope, taskId }: TaskLog,
  messageId: string,
): Promise<number | undefined> {
  const snapshot = await store.load(scope, taskId);
  const isMeant = (message?: Message) => message?.messageId === messageId && message.role === "ROLE_USER";
  if (!snapshot?.task.history?.some(isMeant)) return undefined;
  const entries = await store.read(scope, taskId, 0);
  const entry = entries?.find(({ event, message }) => isMeant(message ?? event.task?.history?.at(-1)));
  return entry?.generation ?? snapshot.generation;
}
