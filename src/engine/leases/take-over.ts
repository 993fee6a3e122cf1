import { isInterrupted, isTerminal } from "../../protocol/lifecycle.js";
import type { ClaimedTask } from "../../stores/lease-store.js";
import type { TaskSnapshot } from "../../stores/task-store.js";
import type { EngineOptions } from "../engine-options.js";
import { Execution } from "../execution/execution.js";
import type { Executions } from "../execution/executions.js";
import type { TaskLog } from "../task-log.js";
import type { ExecutionLease } from "./execution-lease.js";
import type { Leases } from "./leases.js";

/** What a caller is told whose task nobody works on any more. */
const ABANDONED = "The agent was stopped while it worked on this, and does not begin again.";

/**
 * Takes up tasks whose node did not come back. One that waits for its caller waits on; one that was being worked on is begun
 * again as often as the agent allows, and fails then.
 */
export class TakeOver {
  readonly #options: EngineOptions;
  readonly #leases: Leases;
  readonly #executions: Executions;

  constructor(options: EngineOptions, leases: Leases, executions: Executions) {
    this.#options = options;
    this.#leases = leases;
    this.#executions = executions;
  }

  /**
   * Takes up a task. Never rejects: one that cannot be taken up is there for the next node when its lease has run out.
   * @param heldAt since when the lease lasts, by the clock of this process
   */
  async take(task: ClaimedTask, heldAt: number): Promise<void> {
    const { logger, store } = this.#options;
    const { scope, taskId, attempt, work } = task;
    const log: TaskLog = { store, scope, taskId };
    const tenure = this.#leases.leaseFor(log, task.token);
    tenure.work = work;
    tenure.heldAt = heldAt;
    tenure.begin();
    try {
      const snapshot = await this.#left(log, tenure);
      if (snapshot === undefined || !tenure.held) {
        tenure.end();
        return;
      }
      const { contextId = "" } = snapshot.task;
      const execution = new Execution({ log, contextId, ...this.#options, tenure }, snapshot);
      if (attempt > (this.#options.agent.attempts ?? 1)) {
        logger.warn({ taskId, attempt }, "A task fails because its node did not come back");
        await execution.fail(ABANDONED);
        return;
      }
      logger.warn({ taskId, attempt }, "The work on a task begins again because its node did not come back");
      const entries = await store.read(scope, taskId, work - 1, snapshot.generation - work + 1);
      await execution.resume(entries ?? [], attempt);
      if (!execution.lost) this.#executions.start(execution, undefined);
    } catch (err) {
      tenure.end();
      logger.error({ err, taskId }, "A task could not be taken over");
    }
  }

  /** The task, when there is something left to do for it. */
  async #left(log: TaskLog, tenure: ExecutionLease): Promise<TaskSnapshot | undefined> {
    const { store, scope, taskId } = log;
    for (let seen = 0; ; ) {
      const snapshot = await store.load(scope, taskId);
      if (snapshot === undefined || isTerminal(snapshot.task.status.state)) return undefined;
      if (!isInterrupted(snapshot.task.status.state)) return snapshot;
      if (await tenure.settle(snapshot.generation)) return undefined;
      // Either somebody has added a message since, which is looked at, or somebody else holds the task now.
      if (snapshot.generation === seen) return undefined;
      seen = snapshot.generation;
    }
  }
}
