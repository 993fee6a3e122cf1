import { isInterrupted, isTerminal } from "../../protocol/lifecycle.js";
import type { ClaimedTask } from "../../stores/lease-store.js";
import type { StoredEntry, TaskSnapshot } from "../../stores/task-store.js";
import { readLog } from "../../task-log/follow.js";
import type { EngineOptions, ExecutorSlot } from "../engine-options.js";
import { Execution } from "../execution/execution.js";
import type { Executions } from "../execution/executions.js";
import { isConflict, logLoss } from "../execution/failures.js";
import { dropMessages, type QueuedMessage, recordedMessages } from "../execution/inbox.js";
import { TaskLog } from "../task-log.js";
import type { ExecutionLease } from "./execution-lease.js";
import type { Leases } from "./leases.js";

/** The status message of a task whose work is not restarted. */
const NOT_RESTARTED = "The agent stopped before it finished this task.";

/**
 * Takes over tasks whose lease has expired. A task that waits for its caller keeps waiting, unless it may have a message that no executor
 * received. Unfinished work is restarted as often as the agent's `attempts` allows; after that the task fails.
 */
export class TakeOver {
  readonly #options: EngineOptions;
  readonly #leases: Leases;
  readonly #executions: Executions;
  /** One for each take-over that has not ended: aborts when its lease is lost, or the engine is closed. */
  readonly #stops = new Set<AbortController>();
  /** Number of take-overs that wait for a slot. */
  #waiting = 0;
  #closed = false;

  constructor(options: EngineOptions, leases: Leases, executions: Executions) {
    this.#options = options;
    this.#leases = leases;
    this.#executions = executions;
  }

  /**
   * Maximum number of tasks to claim now. Once the server stops, it is 0. Otherwise it is the number that can restart, or 1 if none can and
   * no take-over is under way, so that the task waits for a slot in the same queue as new messages. An agent that never restarts work, or
   * whose executors are not limited, has room for all.
   */
  get room(): number {
    const { agent, executorLimiter } = this.#options;
    // A node that is stopping leaves the tasks of other nodes to those that keep running.
    if (this.#closed || executorLimiter?.isClosed) return 0;
    if ((agent.attempts ?? 1) <= 1 || executorLimiter === undefined) return Infinity;
    const { free } = executorLimiter;
    const begun = this.#stops.size;
    if (free === 0) return begun === 0 ? 1 : 0;
    // A take-over that waits while slots are free will not take one of them: its caller has all the slots that one caller may have.
    return Math.max(free - (begun - this.#waiting), 0);
  }

  /**
   * Takes over one task. Never rejects: if the take-over fails, the task can be claimed again when the lease expires.
   * @param heldAt time from which the duration of the lease counts, in milliseconds since 1970 by the clock of this process
   */
  async take(task: ClaimedTask, heldAt: number): Promise<void> {
    if (this.#closed) return;
    const { logger, store } = this.#options;
    const { scope, taskId, attempt, work } = task;
    const log = new TaskLog(store, scope, taskId);
    const lease = this.#leases.leaseFor(log, task.token);
    lease.work = work;
    lease.heldAt = heldAt;
    lease.begin();
    const stop = new AbortController();
    this.#stops.add(stop);
    // Until there is an execution, which then gets the events.
    lease.onEvent = ({ kind }) => {
      if (kind === "appended") return;
      lease.end();
      stop.abort();
    };
    try {
      const snapshot = await this.#unfinished(log, lease, work);
      if (snapshot === undefined || !lease.held || stop.signal.aborted) {
        lease.end();
        return;
      }
      const { contextId = "" } = snapshot.task;
      const executed = { log, contextId, snapshot, lease };
      if (attempt > (this.#options.agent.attempts ?? 1)) {
        logger.warn({ taskId, attempt }, "A task fails because its node stopped renewing the lease");
        await new Execution(this.#options, executed).fail(NOT_RESTARTED);
        return;
      }
      // The schemas of the extensions check the executor's updates.
      await this.#options.extensions?.ready;
      const messages = await recordedMessages(unfinishedEntries(log, snapshot, work), log, this.#options);
      const slot = await this.#slotFor(messages, stop);
      if (!lease.held || stop.signal.aborted) {
        lease.end();
        slot?.release();
        dropMessages(messages);
        return;
      }
      logger.warn(
        { taskId, attempt },
        "The work on a task restarts because its node stopped renewing the lease",
      );
      const execution = new Execution(this.#options, executed);
      if (await execution.resume(messages, attempt)) {
        // The executions were stopped before this one was among them.
        if (this.#closed) void execution.stop();
        this.#executions.start(execution, slot);
      } else slot?.release();
    } catch (err) {
      lease.end();
      if (isConflict(err)) logLoss(err, taskId, logger);
      else logger.error({ err, taskId }, "A task could not be taken over");
    } finally {
      this.#stops.delete(stop);
    }
  }

  /** Ends take-overs whose work has not restarted yet, and begins no others: the tasks are left to other nodes. */
  close(): void {
    this.#closed = true;
    for (const stop of this.#stops) stop.abort();
  }

  /**
   * Waits for a slot for the executor of the messages.
   * @param stop ends the wait
   * @returns undefined if the number of executors is not limited, if there is no message, or if the wait has ended without a slot
   */
  async #slotFor(
    [first]: readonly QueuedMessage[],
    stop: AbortController,
  ): Promise<ExecutorSlot | undefined> {
    const { executorLimiter } = this.#options;
    if (first === undefined || executorLimiter === undefined) return undefined;
    this.#waiting += 1;
    try {
      return await executorLimiter.awaitSlot({ ...first.invocation.call, signal: stop.signal });
    } catch {
      stop.abort();
      return undefined;
    } finally {
      this.#waiting -= 1;
    }
  }

  /**
   * The task; undefined if it has ended or was deleted, or if it only waits for its caller. In the last case its lease is released, unless
   * the store no longer has it.
   */
  async #unfinished(log: TaskLog, lease: ExecutionLease, work: number): Promise<TaskSnapshot | undefined> {
    const { store, scope, taskId } = log;
    for (let seen = 0; ; ) {
      const snapshot = await store.load(scope, taskId);
      if (snapshot === undefined || isTerminal(snapshot.task.status.state)) return undefined;
      if (!isInterrupted(snapshot.task.status.state) || (await this.#hasQueued(log, snapshot, work)))
        return snapshot;
      if (await lease.release(snapshot.generation)) return undefined;
      // The release was refused: another writer has appended an entry, so the task is loaded again, or another node has the task.
      if (snapshot.generation === seen) return undefined;
      seen = snapshot.generation;
    }
  }

  /**
   * Whether a task that waits for its caller has messages that perhaps no executor received: those that arrived while it was not waiting.
   * A message that arrived while it was waiting is assumed to have been received. In INPUT_REQUIRED it has none, because a question is
   * written as WORKING while a message is queued.
   * @param work generation that records the message on which the executor worked
   */
  async #hasQueued(
    { store, scope, taskId }: TaskLog,
    { task, generation }: TaskSnapshot,
    work: number,
  ): Promise<boolean> {
    if (task.status.state === "TASK_STATE_INPUT_REQUIRED") return false;
    let isWaiting = true;
    for await (const entries of readLog(store, scope, taskId, work - 1)) {
      for (const { generation: at, event, message } of entries) {
        if (at > generation) return false;
        if (message !== undefined && at > work && !isWaiting) return true;
        const state = (event.task ?? event.statusUpdate)?.status.state;
        if (state !== undefined) isWaiting = isInterrupted(state);
      }
    }
    return false;
  }
}

/**
 * The entries of a snapshot, starting with the one that records the message on which the executor worked.
 * @param work generation of that entry
 */
async function* unfinishedEntries(
  { store, scope, taskId }: TaskLog,
  { generation }: TaskSnapshot,
  work: number,
): AsyncGenerator<StoredEntry> {
  for await (const entries of readLog(store, scope, taskId, work - 1)) {
    for (const entry of entries) {
      if (entry.generation > generation) return;
      yield entry;
    }
  }
}
