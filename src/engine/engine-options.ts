import type { AgentDefinition } from "../agent/define-agent.js";
import type { Clock } from "../async/clock.js";
import type { Deadlines } from "../async/deadlines.js";
import type { HookTimeout } from "../async/hook.js";
import type { Observer } from "../observability/observer.js";
import type { CallContext } from "../protocol/call-context.js";
import type { Logger } from "../protocol/logger.js";
import type { AgentCard } from "../protocol/model.js";
import type { PushConfigRegistry } from "../push/push-configs.js";
import type { Lease } from "../stores/lease-store.js";
import type { SendLedger } from "../stores/send-ledger.js";
import type { TaskStore } from "../stores/task-store.js";
import type { ExtensionRules } from "./extension-rules.js";
import type { Leases } from "./leases/leases.js";
import type { TaskAccess } from "./task-log.js";

/** A place for an executor, taken from an {@link ExecutorLimiter}. */
export interface ExecutorSlot {
  /** Frees the slot or, after {@link abandon}, no longer counts the executor as abandoned. */
  release(): void;
  /**
   * Frees the slot of an executor that ignores its abort signal, and counts the executor as abandoned instead. Has no effect if a limit of
   * abandoned executors is reached.
   */
  abandon(): void;
}

/** Limits how many executors work at a time. */
export interface ExecutorLimiter {
  /**
   * Takes a slot. Returns a promise if the caller has to wait for one.
   * @throws A2AError if the caller cannot wait, has waited too long or has gone away: RATE_LIMITED if it has all slots that one caller may
   * have, UNAVAILABLE if no slot is free; UNAVAILABLE if a limit of abandoned executors is reached, or if the server begins to stop during
   * the wait
   */
  acquire(call: CallContext): ExecutorSlot | Promise<ExecutorSlot>;
  /**
   * Takes a slot for work that was accepted before. The wait has no time limit, and a stop of the server does not end it.
   * @throws A2AError if the signal of the call aborts before a slot is free
   */
  awaitSlot(call: CallContext): Promise<ExecutorSlot>;
  /** Number of free slots. The limit of one caller may be lower. */
  readonly free: number;
  /** Whether the server has begun to stop. */
  readonly isClosed: boolean;
  /** Milliseconds that an executor has to end after its signal has aborted; `Infinity` for no limit. See {@link ExecutorSlot.abandon}. */
  readonly stopTime: number;
}

/** Counts the bytes that one message keeps in memory, until every holder has released it. */
export interface MessageHold {
  /**
   * Sets the bytes that are counted for one part: the message, the tasks that it refers to, or the task that it continues.
   * @param mayRefuse false to count the bytes even beyond the limits, for a message that is already in the log
   * @throws A2AError RATE_LIMITED, UNAVAILABLE; INVALID_PARAMS for `references` when the bytes counted for this message have reached the
   * limit of one caller already
   */
  set(part: "message" | "references" | "task", bytes: number, mayRefuse?: boolean): void;
  /** Adds a holder. The code that called {@link MessageLimiter.hold} is the first. */
  retain(): void;
  /** Removes a holder. The last one frees the bytes. */
  release(): void;
}

/** Limits the bytes of messages that are being processed. */
export interface MessageLimiter {
  /** Creates the hold for a message of a caller. It counts no bytes until {@link MessageHold.set} is called. */
  hold(call: CallContext): MessageHold;
}

/** Options and dependencies of the engine. Operations and executions read them as well. */
export interface EngineOptions extends TaskAccess {
  readonly agent: AgentDefinition;
  /**
   * The public card. Sends with a webhook need its capability `pushNotifications`. Its input modes limit the media types of messages if the
   * agent's definition names any input modes.
   */
  readonly card: AgentCard;
  /** The public card for callers that reach the agent at `agentUrl`. */
  readonly cardAt: (agentUrl: string) => AgentCard;
  /** Checks the metadata of the agent's extensions; absent for no checks. */
  readonly extensions?: ExtensionRules;
  readonly store: TaskStore & Partial<SendLedger>;
  /** Name of this node in the store, and the duration of its leases. Other nodes can take over a task once its lease has expired. */
  readonly lease: Lease;
  /** The leases on the agent's tasks; absent if the store does not support leases. Nodes must then not share the store. */
  readonly leases?: Leases | undefined;
  /** The webhooks of tasks; absent if the agent sends no push notifications. */
  readonly pushConfigs?: PushConfigRegistry;
  readonly logger: Logger;
  /** Limits the time of the agent's hooks; absent for no limit. */
  readonly hookTimeout?: HookTimeout | undefined;
  readonly clock: Clock;
  /** Returns a new unique id. */
  readonly newId: () => string;
  /** Approximate limit on the bytes of the tasks on one page of ListTasks, if it has more than one task; absent for no limit. */
  readonly maxPage?: number;
  /** Number of messages in its history at which a task accepts no more messages; absent for no limit. */
  readonly maxHistory?: number;
  /** Approximate size of a task, in bytes, at which it accepts no more messages; absent for no limit. */
  readonly maxTask?: number;
  /** Limits the bytes of messages that are being processed; absent for no limit. */
  readonly messageLimiter?: MessageLimiter;
  /** Limits the executors at work; absent for no limit. */
  readonly executorLimiter?: ExecutorLimiter;
  /**
   * Limits how long an executor works on one message; absent for no limit. The time does not run while the executor waits for another
   * message, and starts again from 0 when the executor gets one.
   */
  readonly deadlines?: Deadlines | undefined;
  /** Maximum seconds that a read waits for a later generation of its task; 25 by default, `Infinity` for no limit. */
  readonly pollTime?: number;
  readonly observer?: Observer | undefined;
}
