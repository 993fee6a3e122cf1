import type { AgentCard, Task, TaskState } from "../model.js";
import type { ClientStub } from "../operations.js";
import { isInterrupted, isTerminal } from "../task/lifecycle.js";
import { type Backoff, delay, pause } from "./backoff.js";
import { Clock } from "./clock.js";
import { isRemote } from "./interruption.js";
import type { CallOptions } from "./options.js";

/** How a task is waited for. */
export interface WaitOptions {
  /** By asking again and again, or by a stream; by default a stream where the agent has them. */
  readonly via?: "poll" | "subscribe";
  /** Seconds between questions: from `first` growing to `longest`; 0.5 and 15 by default. */
  readonly interval?: Partial<Pick<Backoff, "first" | "longest">>;
  /** Messages of the task's history in the result. */
  readonly historyLength?: number;
  /** Seconds to wait at most; no limit by default. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

const INTERVAL: Backoff = { first: 0.5, longest: 15, attempts: Number.POSITIVE_INFINITY };

/** What a task is waited for with. */
type Waiter = ClientStub<CallOptions> & { readonly card: AgentCard };

/**
 * Waits until a task has ended or needs its caller (EXEC-09, CLI-12).
 * @throws ClientError TIMEOUT, and as the operations do
 */
export async function waitForTask(client: Waiter, id: string, options: WaitOptions): Promise<Task> {
  const clock = new Clock(options.signal);
  clock.start("total", options.timeout);
  try {
    return await settled(client, id, { ...options, signal: clock.signal });
  } finally {
    clock.close();
  }
}

type Waiting = WaitOptions & { readonly signal: AbortSignal };

async function settled(client: Waiter, id: string, options: Waiting): Promise<Task> {
  const { via, interval, historyLength, signal } = options;
  const request = { id, ...(historyLength !== undefined && { historyLength }) };
  const streams = client.card.capabilities.streaming === true;
  if (via === "subscribe" || (via === undefined && streams)) await subscribed(client, id, signal);
  const backoff = { ...INTERVAL, ...interval };
  for (let attempt = 0; ; attempt++) {
    const task = await client.getTask(request, { signal });
    if (isSettled(task.status.state)) return task;
    await pause(delay(backoff, attempt), signal);
  }
}

/** Reads the stream of a task until it settles; one that has ended already has no stream (STR-16). */
async function subscribed(client: Waiter, id: string, signal: AbortSignal): Promise<void> {
  try {
    for await (const { task, statusUpdate } of client.subscribeToTask({ id }, { signal })) {
      const status = task?.status ?? statusUpdate?.status;
      if (status !== undefined && isSettled(status.state)) return;
    }
  } catch (error) {
    if (!isRemote(error, "UNSUPPORTED_OPERATION")) throw error;
  }
}

function isSettled(state: TaskState): boolean {
  return isTerminal(state) || isInterrupted(state);
}
