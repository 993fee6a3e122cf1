import { A2AError } from "../../protocol/errors.js";
import { isInterrupted } from "../../protocol/lifecycle.js";
import type { Message } from "../../protocol/model.js";
import type { TaskSnapshot } from "../../stores/task-store.js";
import { EventBuilder } from "../execution/event-builder.js";
import type { ExecutionDeps } from "../execution/execution-deps.js";
import type { Invocation } from "../execution/invocation.js";
import { resumed } from "../execution/task-output.js";
import type { Leases } from "../leases/leases.js";
import type { TaskLog } from "../task-log.js";
import { requestOf } from "./request-context.js";

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

/**
 * Leaves a message in the log of a task that another node works on, which will find it there.
 * @returns the generation that records it
 * @throws A2AError UNSUPPORTED_OPERATION when the agent refuses follow-ups while it works
 * @throws GenerationConflict when another writer was first
 * @throws LeaseConflict when nobody works on the task
 */
export async function leaveMessage(
  turn: Invocation,
  { task, generation }: TaskSnapshot,
  leases: Leases,
  { log, agent, contextId, observer, ...around }: ExecutionDeps,
): Promise<number> {
  const { state } = task.status;
  if (agent.followUps === "refuse" && !isInterrupted(state)) {
    throw new A2AError("UNSUPPORTED_OPERATION", "The task is being worked on and takes no message now");
  }
  const { scope, taskId } = log;
  const admission = new EventBuilder({ taskId, contextId }, task.status, around);
  const event = admission.status({ status: { state: resumed(state) } });
  const { message, call } = turn;
  const entry = { event, message, request: requestOf(turn), ...(call.trace && { trace: call.trace }) };
  const stored = await leases.leave(log, generation, [entry]);
  observer?.watch({ scope, taskId, contextId, state })([entry], stored);
  return stored;
}
