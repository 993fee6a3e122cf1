import type { ExecutionContext, Executor } from "../agent/executor.js";
import type { Reply, Update } from "../agent/updates.js";

/** What an agent does with one message: updates in order, with functions to wait for or to look at the message. */
export type ScriptedTurn = readonly (
  | Update
  | Reply
  | ((context: ExecutionContext) => Update | void | Promise<Update | void>)
)[];

/** An executor that follows a script, and remembers what it was asked. */
export interface ScriptedExecutor {
  readonly execute: Executor;
  /** What each run was told, in order. */
  readonly calls: readonly ExecutionContext[];
}

/**
 * An executor for tests of clients and of agents that call agents: the first message of a task gets the first turn, its second
 * message the second one, and so on; the last turn is repeated.
 *
 * @throws TypeError for a script without a turn
 *
 * @example
 * const { execute, calls } = scripted([inputRequired("Which one?")], [artifact().text("blue"), completed()]);
 */
export function scripted(...turns: readonly ScriptedTurn[]): ScriptedExecutor {
  if (turns.length === 0) throw new TypeError("A script needs at least one turn");
  const calls: ExecutionContext[] = [];
  const taken = new Map<string, number>();
  async function* execute(context: ExecutionContext): AsyncGenerator<Update, void> {
    calls.push(context);
    const turn = taken.get(context.taskId) ?? 0;
    taken.set(context.taskId, turn + 1);
    for (const step of turns[Math.min(turn, turns.length - 1)] ?? []) {
      const update = typeof step === "function" ? await step(context) : step;
      context.signal.throwIfAborted();
      if (update !== undefined) yield update as Update;
    }
  }
  return { execute, calls };
}
