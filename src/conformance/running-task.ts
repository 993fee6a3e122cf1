import { isRefused, result, streaming } from "./expect.js";
import { textAt, type Unchecked } from "./json.js";
import type { EventSource, Peer, PeerAnswer } from "./peer.js";
import { hasEnded } from "./streams.js";
import { Inconclusive } from "./verdict.js";

/**
 * The result of a call about a task that was running when the call was made.
 * @param what the call, for the text of a deviation
 * @throws Deviation; Inconclusive when the agent refuses the call because the task has ended in the meantime
 */
export async function resultWhileRunning(
  peer: Peer,
  taskId: string,
  answer: PeerAnswer,
  what: string,
): Promise<Unchecked> {
  await assertRunning(peer, taskId, answer);
  return result(answer, what);
}

/**
 * Subscribes to a task that was running.
 * @throws Deviation; Inconclusive when the task has ended in the meantime
 */
export async function subscribed(peer: Peer, taskId: string): Promise<EventSource> {
  const opened = await peer.open("SubscribeToTask", { id: taskId });
  if (!("events" in opened)) await assertRunning(peer, taskId, opened);
  return streaming(opened);
}

async function assertRunning(peer: Peer, taskId: string, answer: PeerAnswer): Promise<void> {
  if (!isRefused(answer, "UNSUPPORTED_OPERATION")) return;
  const state = textAt(result(await peer.call("GetTask", { id: taskId })), "status", "state");
  if (hasEnded(state)) throw new Inconclusive("the task ended before the call");
}
