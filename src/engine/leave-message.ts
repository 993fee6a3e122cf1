import { A2AError } from "../errors.js";
import type { TaskSnapshot } from "../stores/task-store.js";
import { isInterrupted } from "../task/lifecycle.js";
import { Admission } from "./admission.js";
import type { Leases } from "./leases.js";
import { resumed } from "./output.js";
import { requestOf } from "./request-facts.js";
import type { Surroundings } from "./surroundings.js";
import type { Turn } from "./turn.js";

/**
 * Leaves a message in the log of a task that another node works on, which will find it there.
 * @returns the generation that records it
 * @throws A2AError UNSUPPORTED_OPERATION when the agent refuses follow-ups while it works
 * @throws GenerationConflict when another writer was first
 * @throws LeaseConflict when nobody works on the task
 */
export async function leaveMessage(
  turn: Turn,
  { task, generation }: TaskSnapshot,
  leases: Leases,
  { log, agent, contextId, observer, ...around }: Surroundings,
): Promise<number> {
  const { state } = task.status;
  if (agent.followUps === "refuse" && !isInterrupted(state)) {
    throw new A2AError("UNSUPPORTED_OPERATION", "The task is being worked on and takes no message now");
  }
  const { scope, taskId } = log;
  const admission = new Admission({ taskId, contextId }, task.status, around);
  const event = admission.status({ status: { state: resumed(state) } });
  const { message, call } = turn;
  const entry = { event, message, request: requestOf(turn), ...(call.trace && { trace: call.trace }) };
  const stored = await leases.leave(log, generation, [entry]);
  observer?.watch({ scope, taskId, contextId, state })([entry], stored);
  return stored;
}
