import { signal } from "@preact/signals";
import type { Client } from "../../../../client/client.js";
import { ClientError } from "../../../../client/client-error.js";
import { RemoteError } from "../../../../client/remote-error.js";
import type { AgentCard, AgentInterface } from "../../../../protocol/model.js";
import { handlerMethod, type OperationName, operation } from "../../../../protocol/operations.js";
import { clientOver } from "../../session/current-agent.js";
import { KeptEvents } from "../../session/kept-events.js";
import { Trailing } from "../../session/trailing.js";

/** What an operation is called with, and over which interface. */
export interface CallPlan {
  readonly operation: OperationName;
  readonly request: object;
  readonly card: AgentCard;
  readonly entry: AgentInterface;
}

/** Why a call failed. */
export interface CallProblem {
  readonly message: string;
  /** Code of the error; undefined for one that is neither the agent's nor the client's. */
  readonly code: string | undefined;
  /** Whether the agent reported it. */
  readonly isAgents: boolean;
  /** What else is known of it. */
  readonly details: object;
}

/** A call and what came of it so far. */
export interface CallRun {
  readonly plan: CallPlan;
  readonly isRunning: boolean;
  /** Milliseconds; so far while it runs. */
  readonly took: number;
  /** The response; undefined for streams and until it is there. */
  readonly result: unknown;
  /** Events of a stream that are kept. */
  readonly events: readonly unknown[];
  /** Number of events after the first one that were too many to be kept. */
  readonly droppedEvents: number;
  readonly problem: CallProblem | undefined;
}

/** Calls of the screen, with which each one publishes what it has. */
export type Publish = (run: CallRun) => void;

/** Calls an operation and publishes what comes. It never rejects. */
export async function runCall(plan: CallPlan, cancel: AbortSignal, publish: Publish): Promise<CallRun> {
  const started = performance.now();
  let run: CallRun = {
    ...{ plan, isRunning: true, took: 0, result: undefined, problem: undefined },
    ...{ events: [], droppedEvents: 0 },
  };
  const update = (changes: Partial<CallRun>) => {
    run = { ...run, ...changes, took: performance.now() - started };
    publish(run);
  };
  update({});
  try {
    const client = await clientOver(plan.card, plan.entry);
    const call = methodOf(client, plan.operation)(plan.request, { signal: cancel });
    if (operation(plan.operation).streaming) await collect(call as AsyncIterable<unknown>, update);
    else update({ result: (await call) ?? null });
  } catch (error) {
    update({ problem: callProblem(error, cancel) });
  }
  update({ isRunning: false });
  return run;
}

type Method = (request: object, options: object) => Promise<unknown> | AsyncIterable<unknown>;

function methodOf(client: Client, name: OperationName): Method {
  const method = client[handlerMethod(operation(name)) as keyof Client] as unknown as Method;
  return method.bind(client) as Method;
}

async function collect(stream: AsyncIterable<unknown>, update: (changes: Partial<CallRun>) => void) {
  const kept = new KeptEvents();
  const progress = new Trailing(() => update({ events: [...kept.events], droppedEvents: kept.dropped }));
  try {
    for await (const event of stream) {
      kept.add(event, JSON.stringify(event).length);
      progress.changed();
    }
  } finally {
    progress.flush();
  }
}

/** What to tell about an error of a call. */
function callProblem(error: unknown, cancel?: AbortSignal): CallProblem {
  if (cancel?.aborted)
    return { message: "You have stopped the call.", code: undefined, isAgents: false, details: {} };
  if (error instanceof RemoteError) {
    const { message, code, httpStatus, jsonRpcCode, reason, details, metadata, violations, retryAfter } =
      error;
    const about = { httpStatus, jsonRpcCode, reason, retryAfter, violations, metadata, details };
    const known = Object.entries(about).filter(([, value]) => value !== undefined && !isEmpty(value));
    return { message, code, isAgents: true, details: Object.fromEntries(known) };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ClientError)) return { message, code: undefined, isAgents: false, details: {} };
  const { code, field, expected, received } = error;
  const known = Object.entries({ field, expected, received }).filter(([, value]) => value !== undefined);
  return { message, code, isAgents: false, details: Object.fromEntries(known) };
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** The calls that the screen shows: one, or one for each interface. */
export const shownRuns = signal<readonly CallRun[]>([]);
