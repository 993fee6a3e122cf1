import { clientError, invalidParams } from "../protocol/errors.js";
import { isSettled } from "../protocol/lifecycle.js";
import type { Message, Part } from "../protocol/model.js";
import { dataPart, textOf, textPart } from "../protocol/parts.js";
import type { ExecutionContext, Executor, NextMessageOptions } from "./executor.js";
import { type RouteOptions, skillNamed } from "./route-skills.js";
import type { OutputOf, ReceivedInputOf, SkillMap, SkillSignature } from "./skills/contract.js";
import { SKILL_KEY } from "./skills/published.js";
import { dataIn, type ReadData, readData } from "./skills/read-data.js";
import { UpdateRefused } from "./update-refused.js";
import {
  type ArtifactOptions,
  type ArtifactUpdate,
  artifact,
  type Content,
  type Reply,
  reply,
  type Update,
} from "./updates.js";

/** What the executor of a skill receives: the context of every executor, plus the id, the input and the outputs of the skill. */
export interface SkillContext<Input = unknown, Output = unknown> extends ExecutionContext {
  /** Id of the skill. */
  readonly skill: string;
  /**
   * The input of the skill, as its schema gives it: the data of the message that began the task, or its text when the
   * skill has no input schema. Later messages of the task, usually answers to questions, are in `message`.
   */
  readonly input: Input;
  /**
   * An output to yield: an artifact with one value, whose name is the id of the skill by default. A skill may yield several; the last is
   * its result.
   */
  output(value: Output, options?: ArtifactOptions): ArtifactUpdate;
}

/**
 * The code of one skill. A function returns its output, which becomes a plain message. An async generator yields
 * updates as every executor does; its return value, if there is one, is the last output.
 */
export type SkillExecutor<Input = unknown, Output = unknown> = (
  context: SkillContext<Input, Output>,
) => AsyncGenerator<Update, Output | void> | Promise<Output> | Output;

/** An executor for each skill of a map, typed by its contract. */
export type SkillExecutors<Skills extends SkillMap> = {
  readonly [Id in keyof Skills]: SkillExecutor<ReceivedInputOf<Skills[Id]>, OutputOf<Skills[Id]>>;
};

/** Validates what the executor of a skill yields: data in artifacts and replies follows the contract, and the run has an output. */
class SkillOutputs {
  readonly #id: string;
  readonly #contract: SkillSignature;
  /** Whether the task has an output. */
  #hasOutput: boolean;
  /** Whether the task is in a state that requires no output, as of the last status of the run and the last message that it has received. */
  #isExcused = false;

  /** @param task the task that is continued: an output of an earlier run counts */
  constructor(id: string, contract: SkillSignature, task: ExecutionContext["task"]) {
    this.#id = id;
    this.#contract = contract;
    this.#hasOutput = (task?.artifacts ?? []).some(({ parts }) => dataIn(parts, "").length > 0);
  }

  /**
   * The error of an update; undefined when it may be stored. Unknown shapes pass: another check refuses what is not an
   * update at all.
   */
  refusal(update: Update): Refusal | Promise<Refusal> {
    const { statusUpdate, artifactUpdate, message } = Object(update);
    const state = statusUpdate?.status?.state;
    if (state !== undefined) this.#isExcused = state !== "TASK_STATE_COMPLETED" && isSettled(state);
    if (state === "TASK_STATE_COMPLETED") return this.missing();
    if (Array.isArray(artifactUpdate?.artifact?.parts))
      return this.#check(artifactUpdate.artifact.parts, "artifactUpdate.artifact");
    return Array.isArray(message?.parts) ? this.#check(message.parts, "message") : undefined;
  }

  /** The error of a value that is meant as an output; undefined when it is valid. */
  refusalOf(output: unknown): Refusal | Promise<Refusal> {
    return this.#check([{ data: output }], "output");
  }

  /** Passes on a message that the run has received. It sets the task to WORKING. */
  received(message: Message): Message {
    this.#isExcused = false;
    return message;
  }

  /** The error of a run that ends without an output; undefined when there is one, or none is required. */
  missing(): UpdateRefused | undefined {
    if (this.#contract.output === undefined || this.#hasOutput || this.#isExcused) return undefined;
    return new UpdateRefused(`The skill ${this.#id} ended without the output that its contract promises`);
  }

  #check(parts: readonly Part[], path: string): Refusal | Promise<Refusal> {
    const { output } = this.#contract;
    const located = output === undefined ? [] : dataIn(parts, path);
    const from = (start: number): Refusal | Promise<Refusal> => {
      for (const [index, { value, path: at }] of located.entries()) {
        if (index < start || output === undefined) continue;
        const read = readData(output, value, at);
        if (read instanceof Promise) return read.then((one) => this.#record(one) ?? from(index + 1));
        const refused = this.#record(read);
        if (refused) return refused;
      }
      return undefined;
    };
    return from(0);
  }

  /** Records a valid output, or returns the error of an invalid one. */
  #record({ violations }: ReadData): Refusal {
    if (violations === undefined) {
      this.#hasOutput = true;
      return undefined;
    }
    const [{ field, description }] = violations;
    return new UpdateRefused(`${field} ${description}: the skill ${this.#id} promises it`);
  }
}

/** The error of an update; undefined when it may be stored. */
type Refusal = UpdateRefused | undefined;

/** Contracts of skills, and the executor of each. */
interface SkillRoutes extends RouteOptions {
  readonly skills: SkillMap;
  readonly execute: Readonly<Record<string, SkillExecutor<never>>>;
}

/**
 * Makes an executor that passes each message to the executor of its skill and enforces the skill's contract: input is
 * validated before the skill's code runs, output before it is stored.
 *
 * A message that names no skill, or an unknown one, goes to `fallback`. Without a fallback it is refused, unless the
 * agent has exactly one skill and the message names none.
 */
export function executeSkills({ skills, execute, match = skillNamed, fallback }: SkillRoutes): Executor {
  const ids = Object.keys(skills);
  const only = ids.length === 1 && fallback === undefined ? ids[0] : undefined;
  return async function* (context): AsyncGenerator<Update, Reply | void> {
    // A task keeps the skill and the input that it began with.
    const [opening = context.message] = context.task?.history ?? [];
    const id = (await match(opening, context)) ?? only ?? "";
    const contract = Object.hasOwn(skills, id) ? skills[id] : undefined;
    const executor = execute[id];
    if (contract === undefined || executor === undefined) {
      if (fallback === undefined) throw noSkill(ids);
      const answer = fallback(context);
      return Symbol.asyncIterator in answer ? yield* answer : await answer;
    }
    const input = inputOf(opening, id, contract);
    const run = { id, contract, input: input instanceof Promise ? await input : input };
    const outputs = new SkillOutputs(id, contract, context.task);
    // The table has lost the type of the input; `inputOf` has just validated it.
    const answer: unknown = executor(contextOf(context, run, outputs) as SkillContext<never>);
    if (isGenerator(answer)) return yield* checked(answer, run, outputs);
    const output = await answer;
    const refusal = outputs.refusalOf(output);
    const refused = refusal instanceof Promise ? await refusal : refusal;
    if (refused !== undefined) throw refused;
    return reply([contract.output ? dataPart(output) : textPart(String(output))]);
  };
}

/** One run of a skill. */
interface SkillRun {
  readonly id: string;
  readonly contract: SkillSignature;
  readonly input: unknown;
}

/**
 * Reads the input of a skill from a message; a promise when {@link readData} returns one.
 * @throws A2AError INVALID_PARAMS naming the member; what `readData` throws
 */
function inputOf(message: Message, id: string, { input }: SkillSignature): unknown {
  if (input === undefined) return textOf(message);
  const [first, second] = dataIn(message.parts, "message");
  if (first === undefined) throw invalidParams("message.parts", `must have a data part: the input of ${id}`);
  if (second !== undefined) throw invalidParams(second.path, `is not allowed: ${id} takes one data part`);
  const read = readData(input, first.value, first.path);
  return read instanceof Promise ? read.then(valid) : valid(read);
}

/** @throws A2AError INVALID_PARAMS */
function valid(read: ReadData): unknown {
  if (read.violations === undefined) return read.value;
  const [{ field, description }] = read.violations;
  throw clientError("INVALID_PARAMS", `Invalid parameters: ${field} ${description}`, {
    violations: read.violations,
  });
}

function noSkill(ids: readonly string[]) {
  return invalidParams(`message.metadata.${SKILL_KEY}`, `must be one of ${ids.join(", ")}`);
}

/** The context of the executor plus the members of the skill. A proxy, so that the context computes only the members that are read. */
function contextOf(context: ExecutionContext, run: SkillRun, outputs: SkillOutputs): SkillContext {
  const own = new Map<PropertyKey, unknown>([
    ["skill", run.id],
    ["input", run.input],
    ["output", (value: unknown, options?: ArtifactOptions) => outputUpdate(run, value, options)],
    [
      "nextMessage",
      (options?: NextMessageOptions) => {
        const message = context.nextMessage(options).then((arrived) => outputs.received(arrived));
        // The skill may ignore the promise. An unhandled rejection would end the process.
        message.catch(() => undefined);
        return message;
      },
    ],
    [
      "ask",
      async function* (question: Content) {
        return outputs.received(yield* context.ask(question));
      },
    ],
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

/** Passes on the valid updates of an executor. An invalid one throws an {@link UpdateRefused} in the executor, at its `yield`. */
async function* checked(
  updates: AsyncGenerator<Update, unknown>,
  run: SkillRun,
  outputs: SkillOutputs,
): AsyncGenerator<Update, undefined> {
  try {
    let step = await updates.next();
    while (!step.done) {
      const refusal = outputs.refusal(step.value);
      let thrown: unknown = refusal instanceof Promise ? await refusal : refusal;
      if (thrown === undefined) {
        try {
          yield step.value;
        } catch (error) {
          thrown = error;
        }
      }
      step = thrown === undefined ? await updates.next() : await updates.throw(thrown);
    }
    const refusal = step.value === undefined ? outputs.missing() : outputs.refusalOf(step.value);
    const refused = refusal instanceof Promise ? await refusal : refusal;
    if (refused !== undefined) throw refused;
    if (step.value !== undefined) yield outputUpdate(run, step.value);
    return undefined;
  } finally {
    await updates.return(undefined);
  }
}
