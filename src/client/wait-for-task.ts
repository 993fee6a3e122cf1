import { isSettled } from "../protocol/lifecycle.js";
import type { AgentCard, Received, Task } from "../protocol/model.js";
import type { ClientStub } from "../protocol/operations.js";
import { type Intervals, pausePolling } from "./backoff.js";
import { isAbsent } from "./connection-error.js";
import { Deadline } from "./deadline.js";
import { type CallOptions, withGiven } from "./options.js";

/** Options of `waitForTask` of the client. */
export interface WaitOptions {
  /**
   * Whether to poll the task or to subscribe to it. By default the client subscribes if the card declares streaming, except in a version
   * with generations if `interval` is not set: it then polls, because the agent can hold each read until the task has changed. If the agent
   * does not support subscriptions, the task is polled in any case.
   */
  readonly via?: "poll" | "subscribe" | undefined;
  /** Polling intervals in seconds, instead of the client's `polling`. If this is set, the client does not ask the agent to hold reads. */
  readonly interval?: Partial<Intervals> | undefined;
  /** Maximum number of history messages in the result. */
  readonly historyLength?: number | undefined;
  /** Maximum seconds to wait; unlimited by default. */
  readonly timeout?: number | undefined;
  /** Aborts the wait, which fails with the reason of the signal. The task continues. */
  readonly signal?: AbortSignal | undefined;
  /** Headers of every call of the wait, in addition to the client's. They replace those of the same name. */
  readonly headers?: CallOptions["headers"];
  /** URIs of extensions to request with every call of the wait, in addition to the client's. */
  readonly extensions?: CallOptions["extensions"];
}

interface ClientFacts {
  /** The client's polling intervals; `interval` replaces those that it sets. */
  readonly polling: Intervals;
  /** Whether the agent is called in a version that has generations: the agent can then hold a read until the task has changed. */
  readonly hasGenerations: boolean;
}

type Waiter = ClientStub<CallOptions> & { readonly card: AgentCard };

/**
 * Waits until a task has ended or needs its caller (§3.2.2, §3.5.1), and returns it.
 * @throws ClientError TIMEOUT when the option `timeout` has passed; the errors of GetTask and SubscribeToTask; the reason of the signal
 */
export async function waitForTask(
  client: Waiter,
  id: string,
  {
    via,
    interval,
    polling,
    hasGenerations,
    historyLength,
    timeout,
    signal,
    ...options
  }: WaitOptions & ClientFacts,
): Promise<Received<Task>> {
  const intervals = withGiven(polling, interval);
  const isHeld = hasGenerations && interval === undefined;
  const request = { id, ...(historyLength !== undefined && { historyLength }) };
  const streams = client.card.capabilities.streaming === true;
  const deadline = new Deadline(signal);
  deadline.start("total", timeout);
  const call = { ...options, signal: deadline.signal };
  try {
    if (via === "subscribe" || (via === undefined && streams && !isHeld)) await subscribed(client, id, call);
    const held = isHeld ? new (await import("./held-reads.js")).HeldReads(client) : undefined;
    for (let pauses = 0; ; ) {
      const task = await (held ?? client).getTask(request, call);
      // A lenient client may receive a task without a status. It has not settled.
      if (isSettled(task.status?.state)) return task;
      if (!held?.recordRead(task)) await pausePolling(intervals, pauses++, call.signal);
    }
  } finally {
    deadline.close();
  }
}

/**
 * Reads the stream of a task until the task settles. Returns without an error if the agent refuses because the task has ended, or does not
 * support subscriptions.
 * @throws the other errors of SubscribeToTask; the reason of the signal
 */
async function subscribed(client: Waiter, id: string, call: CallOptions): Promise<void> {
  try {
    for await (const { task, statusUpdate } of client.subscribeToTask({ id }, call)) {
      const status = (task ?? statusUpdate)?.status;
      if (status !== undefined && isSettled(status.state)) return;
    }
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}
