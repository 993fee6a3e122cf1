import { invalidParams } from "../protocol/errors.js";
import { isInterrupted, isTerminal } from "../protocol/lifecycle.js";
import type { Message, Part } from "../protocol/model.js";
import { dataPart, textOf, textPart } from "../protocol/parts.js";
import type { ExecutionContext, Executor } from "./executor.js";
import type { InputOf, OutputOf, SkillContract, SkillMap } from "./skills/contract.js";
import { dataIn, faultIn } from "./skills/fault.js";
import { SKILL_KEY } from "./skills/published.js";
import { UpdateRefused } from "./update-refused.js";
import {
  type ArtifactOptions,
  type ArtifactUpdate,
  artifact,
  type Reply,
  rejected,
  reply,
  type Update,
} from "./updates.js";

/** What the executor of a skill is told: as other executors, and what its contract says. */
export interface SkillContext<Input = unknown, Output = unknown> extends ExecutionContext {
  /** Id of the skill. */
  readonly skill: string;
  /**
   * The input of the skill, as its schema wants it: the data of the message that began the task, or its text when the skill
   * has no schema for it. Later messages of the task, answers to questions mostly, are in `message`.
   */
  readonly input: Input;
  /** An output to yield: one artifact with one value. A skill may give several; the last one is its result. */
  output(value: Output, options?: ArtifactOptions): ArtifactUpdate;
}

/**
 * The code behind one skill. A function returns its output, and the answer is a plain message with it. An async generator
 * yields updates as every executor does; what it returns is its last output.
 */
export type SkillExecutor<Input = unknown, Output = unknown> = (
  context: SkillContext<Input, Output>,
) => AsyncGenerator<Update, Output | void> | Promise<Output> | Output;

/** An executor for each skill of a map, typed by its contract. */
export type SkillExecutors<Skills extends SkillMap> = {
  readonly [Id in keyof Skills]: SkillExecutor<InputOf<Skills[Id]>, OutputOf<Skills[Id]>>;
};

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
function named({ metadata }: Message): Match {
  const id = metadata?.skill ?? metadata?.skillId;
  return typeof id === "string" ? id : undefined;
}

function refuse(ids: readonly string[]): Executor {
  const text = `No skill fits this message. There are: ${ids.join(", ")}. Name one as "skill" in the metadata of the message.`;
  return async function* () {
    yield rejected(text);
  };
}

/** Watches what the executor of a skill gives: all data in artifacts and replies fits the contract, and some is there in the end. */
class SkillOutputs {
  readonly #id: string;
  readonly #contract: SkillContract;
  #given: boolean;
  /** The run has come to a state in which no output is due. */
  #isExcused = false;

  /** @param task the task that is continued: an output of an earlier run counts */
  constructor(id: string, contract: SkillContract, task: ExecutionContext["task"]) {
    this.#id = id;
    this.#contract = contract;
    this.#given = (task?.artifacts ?? []).some(({ parts }) => dataIn(parts, "").length > 0);
  }

  /**
   * What is wrong with an update; undefined when it may go out.
   * Tolerant: an executor may yield anything, and what is no update at all is refused elsewhere.
   */
  refusal(update: Update): UpdateRefused | undefined {
    const { statusUpdate, artifactUpdate, message } = Object(update);
    const state = statusUpdate?.status?.state;
    if (state === "TASK_STATE_COMPLETED") return this.missing();
    if (state !== undefined) this.#isExcused = isTerminal(state) || isInterrupted(state);
    if (Array.isArray(artifactUpdate?.artifact?.parts))
      return this.#check(artifactUpdate.artifact.parts, "artifactUpdate.artifact");
    return Array.isArray(message?.parts) ? this.#check(message.parts, "message") : undefined;
  }

  /** What is wrong with a value that is to be an output; undefined when it fits. */
  refusalOf(output: unknown): UpdateRefused | undefined {
    return this.#check([{ data: output }], "output");
  }

  /** That there is no output at the end of the work; undefined when there is one, or none is due. */
  missing(): UpdateRefused | undefined {
    if (this.#contract.output === undefined || this.#given || this.#isExcused) return undefined;
    return new UpdateRefused(`The skill ${this.#id} ended without the output that its contract promises`);
  }

  #check(parts: readonly Part[], path: string): UpdateRefused | undefined {
    const { output } = this.#contract;
    if (output === undefined) return undefined;
    for (const { value, path: at } of dataIn(parts, path)) {
      const found = faultIn(output, value, at);
      if (found)
        return new UpdateRefused(`${found.field} ${found.description}: the skill ${this.#id} promises it`);
      this.#given = true;
    }
    return undefined;
  }
}

/** Contracts of skills and the code behind each. */
interface SkillRoutes extends RouteOptions {
  readonly skills: SkillMap;
  readonly execute: Readonly<Record<string, SkillExecutor<never>>>;
}

/**
 * An executor that hands each message to the executor of its skill and keeps the skill's contract: what comes in is checked
 * before there is a task, what goes out before it is stored.
 *
 * A message that names no skill, or one that there is not, goes to `fallback`. Without a fallback it is refused, unless there
 * is one skill only and the message names none.
 */
export function executeSkills({ skills, execute, match = named, fallback }: SkillRoutes): Executor {
  const ids = Object.keys(skills);
  const only = ids.length === 1 && fallback === undefined ? ids[0] : undefined;
  return async function* (context): AsyncGenerator<Update, Reply | void> {
    // A task stays with the skill and the input that it began with.
    const [opening = context.message] = context.task?.history ?? [];
    const id = (await match(opening, context)) ?? only ?? "";
    const contract = Object.hasOwn(skills, id) ? skills[id] : undefined;
    const executor = execute[id];
    if (contract === undefined || executor === undefined) {
      if (fallback === undefined) throw noSkill(ids);
      const answer = fallback(context);
      return Symbol.asyncIterator in answer ? yield* answer : await answer;
    }
    const run = { id, contract, input: inputOf(opening, id, contract) };
    const outputs = new SkillOutputs(id, contract, context.task);
    const answer: unknown = executor(contextOf(context, run) as SkillContext<never>);
    if (isGenerator(answer)) return yield* checked(answer, run, outputs);
    const output = await answer;
    const refused = outputs.refusalOf(output);
    if (refused) throw refused;
    return reply([contract.output ? dataPart(output) : textPart(String(output))]);
  };
}

/** One run of a skill. */
interface SkillRun {
  readonly id: string;
  readonly contract: SkillContract;
  readonly input: unknown;
}

/**
 * The input of a skill in a message.
 * @throws A2AError INVALID_PARAMS naming the member
 */
function inputOf(message: Message, id: string, { input }: SkillContract): unknown {
  if (input === undefined) return textOf(message);
  const [first, second] = dataIn(message.parts, "message");
  if (first === undefined) throw invalidParams("message.parts", `must have a data part: the input of ${id}`);
  if (second !== undefined) throw invalidParams(second.path, `must not be there: ${id} takes one data part`);
  const found = faultIn(input, first.value, first.path);
  if (found) throw invalidParams(found.field, found.description);
  return first.value;
}

function noSkill(ids: readonly string[]) {
  return invalidParams(`message.metadata.${SKILL_KEY}`, `must be one of ${ids.join(", ")}`);
}

/** The context with what the skill adds to it. Members are looked up when they are asked for, as in the context itself. */
function contextOf(context: ExecutionContext, run: SkillRun): SkillContext {
  const own = new Map<PropertyKey, unknown>([
    ["skill", run.id],
    ["input", run.input],
    ["output", (value: unknown, options?: ArtifactOptions) => outputUpdate(run, value, options)],
  ]);
  return new Proxy(context, {
    get: (target, name) => (own.has(name) ? own.get(name) : Reflect.get(target, name)),
  }) as SkillContext;
}

function outputUpdate({ id, contract }: SkillRun, value: unknown, options: ArtifactOptions = {}) {
  const writer = artifact({ name: id, ...options });
  return contract.output ? writer.data(value, { last: true }) : writer.text(String(value), { last: true });
}

function isGenerator(answer: unknown): answer is AsyncGenerator<Update, unknown> {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;
}

/** What the executor yields, as far as it fits. What does not is thrown back at its yield. */
async function* checked(
  updates: AsyncGenerator<Update, unknown>,
  run: SkillRun,
  outputs: SkillOutputs,
): AsyncGenerator<Update, undefined> {
  try {
    let step = await updates.next();
    while (!step.done) {
      let thrown: unknown = outputs.refusal(step.value);
      if (thrown === undefined) {
        try {
          yield step.value;
        } catch (error) {
          thrown = error;
        }
      }
      step = thrown === undefined ? await updates.next() : await updates.throw(thrown);
    }
    const refused = step.value === undefined ? outputs.missing() : outputs.refusalOf(step.value);
    if (refused) throw refused;
    if (step.value !== undefined) yield outputUpdate(run, step.value);
    return undefined;
  } finally {
    await updates.return(undefined);
  }
}
