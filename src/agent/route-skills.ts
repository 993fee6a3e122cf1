import type { Message } from "../model.js";
import type { ExecutionContext, Executor } from "./executor.js";
import { type Reply, rejected, type Update } from "./updates.js";

/** How a skill is found, and what happens when none is. */
export interface RouteOptions {
  /**
   * Id of the skill that a message wants; undefined when it wants none. For a message that continues a task it is asked
   * about the message that began the task, so that a task stays with its skill: it should answer the same for the same
   * message. Left out: `skill` or `skillId` in the metadata of the message.
   */
  readonly match?: (message: Message, context: ExecutionContext) => Match | Promise<Match>;
  /** Takes the messages that no skill takes. Left out: their task is REJECTED with a text that names the skills. */
  readonly fallback?: Executor;
}

/** What a match function answers. */
export type Match = string | undefined;

/**
 * An executor that hands each message to the executor of a skill.
 *
 * @param skills executors by skill id, the ids being those of the card
 * @example
 * defineAgent({ card, execute: routeSkills({ plan: planTrip, book: bookTrip }, { match: ({ parts }) => classify(parts) }) });
 */
export function routeSkills(
  skills: Readonly<Record<string, Executor>>,
  options: RouteOptions = {},
): Executor {
  const { match = named, fallback = refuse(Object.keys(skills)) } = options;
  return async function* (context): AsyncGenerator<Update, Reply | void> {
    const [opening = context.message] = context.task?.history ?? [];
    const id = await match(opening, context);
    const execute = (id !== undefined && Object.hasOwn(skills, id) && skills[id]) || fallback;
    const answer = execute(context);
    return Symbol.asyncIterator in answer ? yield* answer : await answer;
  };
}

/** The skill that a message names in its metadata. */
export function named({ metadata }: Message): Match {
  const id = metadata?.skill ?? metadata?.skillId;
  return typeof id === "string" ? id : undefined;
}

function refuse(ids: readonly string[]): Executor {
  const text = `No skill fits this message. There are: ${ids.join(", ")}. Name one as "skill" in the metadata of the message.`;
  return async function* () {
    yield rejected(text);
  };
}
