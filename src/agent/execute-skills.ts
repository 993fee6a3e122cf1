import { invalidParams } from "../errors.js";
import type { Message } from "../model.js";
import { dataPart, textOf, textPart } from "../parts.js";
import type { SkillContract, SkillMap } from "../skills/contract.js";
import { dataIn, faultIn } from "../skills/fault.js";
import { SKILL_KEY } from "../skills/published.js";
import type { ExecutionContext, Executor } from "./executor.js";
import { named, type RouteOptions } from "./route-skills.js";
import type { SkillContext, SkillExecutor } from "./skill-executor.js";
import { SkillOutputs } from "./skill-outputs.js";
import { type ArtifactOptions, artifact, type Reply, reply, type Update } from "./updates.js";

/** Contracts of skills and the code behind each. */
export interface SkillRoutes extends RouteOptions {
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
