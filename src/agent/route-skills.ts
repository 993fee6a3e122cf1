import { argumentError, assertObject } from "../protocol/argument.js";
import type { Message } from "../protocol/model.js";
import type { ExecutionContext, Executor, TaskCreation } from "./executor.js";
import { type Reply, rejected, type Update } from "./updates.js";

/** How {@link routeSkills}, or an agent with skills, chooses the executor of a message. */
export interface RouteOptions {
  /**
   * Returns the id of the skill that a message wants, or undefined. For a message that continues a task it is called
   * with the message that began the task, so that a task stays with its skill; it should return the same id for the
   * same message. Default: `skill` or `skillId` in the metadata of the message.
   */
  readonly match?: ((message: Message, context: ExecutionContext) => Match | Promise<Match>) | undefined;
  /**
   * Executes messages that match no skill. Without it {@link routeSkills} ends their task as REJECTED, with a text that lists the skills;
   * an agent whose skills have contracts refuses them with INVALID_PARAMS, but passes one that names no skill to its only skill.
   */
  readonly fallback?: Executor | undefined;
}

/** The result of a match function: a skill id, or undefined for none. */
export type Match = string | undefined;

/**
 * Makes an executor that passes each message to the executor of its skill. If these executors, with a fallback that is given, all have the
 * same `tasks`, as those of `adaptAgent` have, the new executor has it too.
 *
 * @param skills executors by skill id, as in the card
 * @example
 * ```ts
 * defineAgent({
 *   card,
 *   execute: routeSkills({ plan: planTrip, book: bookTrip }, { match: ({ parts }) => classify(parts) }),
 * });
 * ```
 * @throws TypeError when `skills` is not an object, or an executor not a function
 */
export function routeSkills(
  skills: Readonly<Record<string, Executor>>,
  options: RouteOptions = {},
): Executor {
  const needs = "routeSkills needs executors by skill id, such as { plan: planTrip }";
  assertObject(skills, needs);
  for (const [id, execute] of Object.entries(skills))
    if (typeof execute !== "function") throw argumentError(`${needs}: ${id} must be a function`, execute);
  const { match = skillNamed, fallback = refuse(Object.keys(skills)) } = options;
  const route = async function* (context: ExecutionContext): AsyncGenerator<Update, Reply | void> {
    const [opening = context.message] = context.task?.history ?? [];
    const id = await match(opening, context);
    const execute = (id !== undefined && Object.hasOwn(skills, id) && skills[id]) || fallback;
    const answer = execute(context);
    return Symbol.asyncIterator in answer ? yield* answer : await answer;
  };
  const tasks = commonTasks([...Object.values(skills), options.fallback ?? []].flat());
  return tasks === undefined ? route : Object.assign(route, { tasks });
}

/** The `tasks` of all executors; undefined if they differ. */
function commonTasks(executors: readonly Executor[]): TaskCreation | undefined {
  const [tasks, ...others] = new Set(executors.map((execute) => execute.tasks));
  return others.length === 0 ? tasks : undefined;
}

/** The skill that a message names in its metadata; undefined if it names none. */
export function skillNamed({ metadata }: Message): Match {
  const id = metadata?.skill ?? metadata?.skillId;
  return typeof id === "string" ? id : undefined;
}

function refuse(ids: readonly string[]): Executor {
  const text = `No skill fits this message. The skills are: ${ids.join(", ")}. Name one as "skill" in the metadata of the message.`;
  return async function* () {
    yield rejected(text);
  };
}
