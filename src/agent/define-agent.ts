import type { CardInput, SkillInput } from "../card/build-card.js";
import { unknownName } from "../json/unknown-name.js";
import { assertObject } from "../protocol/argument.js";
import type { CallContext } from "../protocol/call-context.js";
import type { AgentCard } from "../protocol/model.js";
import type { A2AHandler } from "../protocol/operations.js";
import { executeSkills, type SkillExecutors } from "./execute-skills.js";
import type { CancelHook, ExecutionContext, Executor, ExecutorResult, TaskCreation } from "./executor.js";
import { defineExtension, type Extension } from "./extension.js";
import type { RouteOptions } from "./route-skills.js";
import type { SkillMap, SkillSignature } from "./skills/contract.js";
import { publication } from "./skills/publication.js";
import type { AnySkill } from "./skills/skill.js";

/** The name of every member of a definition, with and without skills. */
export const definitionNames: Readonly<Record<keyof AgentDefinition | keyof SkillAgentDefinition, true>> = {
  ...{ card: true, execute: true, extensions: true, cancel: true, tasks: true, taskAfter: true },
  ...{ extendedCard: true, extendedCardForAnyone: true, followUps: true, idempotentSends: true },
  ...{ repeatableCancel: true, attempts: true, skills: true, match: true, fallback: true },
};

/** Every value of `tasks`. */
const taskCreations: Readonly<Record<TaskCreation, true>> = { auto: true, always: true, never: true };

/**
 * Members of the extended card that differ from the public one: fixed or computed per caller; undefined for a caller without one (§3.1.11).
 *
 * @example
 * ```ts
 * const extendedCard: ExtendedCard = { description: "Includes the internal skills." };
 * ```
 */
export type ExtendedCard =
  | Partial<AgentCard>
  | ((publicCard: AgentCard, call: CallContext) => MaybeCard | Promise<MaybeCard>);

type MaybeCard = Partial<AgentCard> | undefined;

/**
 * An agent made of a card and the code that does the work.
 *
 * @example
 * ```ts
 * const echo: AgentDefinition = {
 *   card: { name: "Echo", description: "Repeats your text.", version: "1.0.0" },
 *   async *execute({ text }) {
 *     yield reply(text);
 *   },
 * };
 * ```
 */
export interface AgentDefinition {
  /**
   * The agent's card (§4.4). Only `name` and `description` are required; the server adds interfaces and defaults.
   * @example `{ name: "Echo", description: "Repeats your text.", version: "1.0.0" }`
   */
  readonly card: CardInput;
  /**
   * The agent's work: runs for each message that an earlier run has not received through `ask` or `nextMessage`. It yields updates of the
   * task, or yields or returns a reply. It must stop when `signal` aborts. An error fails the task or is the answer: see {@link Executor}.
   *
   * @example
   * ```ts
   * async *execute({ text, signal }) {
   *   yield working("Searching");
   *   yield artifact({ name: "answer" }).text(await search(text, { signal }));
   *   yield completed();
   * }
   * ```
   */
  readonly execute: Executor;
  /**
   * Extensions that the agent supports. The card declares them; they are off for callers that do not request them. For callers that do, the
   * server validates the data of an extension against its schema, if it has one.
   * @example `extensions: [defineExtension({ uri: "https://example.com/extensions/citations/v1" })]`
   */
  readonly extensions?: readonly Extension[] | undefined;
  /**
   * Called before a task is canceled; throwing refuses the cancel. Without it, every task that has not ended can be canceled. A cancel that
   * succeeds aborts the executor's signal (§3.1.5).
   *
   * @example
   * ```ts
   * cancel: ({ task }) => {
   *   if (task.metadata?.shipped) throw new Error("The order is shipped");
   * }
   * ```
   */
  readonly cancel?: CancelHook | undefined;
  /**
   * Members of the card for authenticated callers (§3.1.11). Declares the capability `extendedAgentCard`, unless the card sets it to false.
   * @example `extendedCard: { description: "Includes the internal skills." }`
   */
  readonly extendedCard?: ExtendedCard | undefined;
  /**
   * Returns the extended card to anonymous callers too; off by default. This contradicts §13.3, which requires an
   * authenticated caller: turn it on only for a card without confidential content.
   * @example `extendedCardForAnyone: true`
   */
  readonly extendedCardForAnyone?: boolean | undefined;
  /**
   * When the task of a message is created. Default: the executor's own `tasks`, which `adaptAgent` sets to `"always"`, else `"auto"`.
   * @example `tasks: "never"` for an agent that only replies
   */
  readonly tasks?: TaskCreation | undefined;
  /**
   * Milliseconds after which a caller that does not wait gets a task; 100 by default, `Infinity` for never. Applies to
   * SendMessage with `returnImmediately` while `tasks` is `"auto"`: when the executor has produced neither a task nor a
   * reply by then, the server creates the task as SUBMITTED and answers with it (§3.2.2).
   * @example `taskAfter: 500`
   */
  readonly taskAfter?: number | undefined;
  /**
   * Handling of a message for a task whose executor is running: `"queue"`, the default, keeps it until the executor asks for it or runs
   * again; `"refuse"` answers UNSUPPORTED_OPERATION, unless the task waits for its caller or, on this node, the executor for a message.
   * @example `followUps: "refuse"`
   */
  readonly followUps?: "queue" | "refuse" | undefined;
  /**
   * Maximum number of times that the executor is started for one message, if its process ends or loses the task. With 1, the default, the
   * task then fails. With a higher number the executor runs again, on this node or another; `attempt` in its context counts the runs.
   * @example `attempts: 3`
   */
  readonly attempts?: number | undefined;
  /**
   * Answers a repeated send with the result of the first, which stores keep for up to a day, instead of executing it again (§3.3.1). Off by
   * default. The key is the header `Idempotency-Key`, else the `messageId`. With another message or metadata it is refused: INVALID_PARAMS.
   * @example `idempotentSends: true`
   */
  readonly idempotentSends?: boolean | undefined;
  /**
   * Answers a cancel of a task that is already CANCELED with that task instead of an error (§3.1.5). Off by default.
   * @example `repeatableCancel: true`
   */
  readonly repeatableCancel?: boolean | undefined;
}

/**
 * An {@link AgentDefinition} as it is written. The type of `execute` is computed from its result, so that the compiler reports a wrong
 * yield in one line instead of a comparison of generators. If the compiler cannot infer the result, it is {@link ExecutorResult}.
 */
interface WrittenDefinition<Result> extends Omit<AgentDefinition, "execute"> {
  readonly execute: WrittenExecutor<Result>;
}

/** A {@link SkillListDefinition} as it is written. */
interface WrittenList<Result> extends Omit<SkillListDefinition, "execute"> {
  readonly execute?: WrittenExecutor<Result> | undefined;
}

type WrittenExecutor<Result> = [Result] extends [ExecutorResult]
  ? { (context: ExecutionContext): Result; readonly tasks?: TaskCreation | undefined }
  : "execute must yield updates: working(...), artifact(...), completed(...), or return reply(...)";

/** An agent that implements the operations itself: for gateways and bridges. */
export interface HandlerAgent {
  /** The agent's card (§4.4), as in {@link AgentDefinition}. */
  readonly card: CardInput;
  /** A method for each operation. Extend `UnimplementedHandler` to implement only some of them. */
  readonly handler: A2AHandler<CallContext>;
}

/** An agent that a server can serve. */
export type Agent = AgentDefinition | HandlerAgent;

/**
 * An agent whose skills have contracts, as `parley codegen` writes them. Each message is routed to the executor of its
 * skill; inputs and outputs are validated; the schemas are published in the card.
 */
export interface SkillAgentDefinition<Skills extends SkillMap = SkillMap>
  extends Omit<AgentDefinition, "execute">,
    RouteOptions {
  /** Contracts by skill id. Each needs an entry in the card that describes the skill for people. */
  readonly skills: Skills;
  /** A function for each skill, by skill id. */
  readonly execute: SkillExecutors<NoInfer<Skills>>;
}

/**
 * An agent made of skills, each with its entry in the card, its schemas and its code. Each message is routed to its skill; inputs and
 * outputs are validated; the schemas are published in the card.
 */
export interface SkillListDefinition extends Omit<AgentDefinition, "execute">, Pick<RouteOptions, "match"> {
  /** The skills, as `skill` makes them. Further entries of `card.skills` are published as well. */
  readonly skills: readonly AnySkill[];
  /**
   * Executes messages that name no skill, or an unknown one. Without it they are refused, as INVALID_PARAMS; but the only skill of an agent
   * executes messages that name none.
   */
  readonly execute?: Executor | undefined;
}

/**
 * Defines an agent: its card and the code that answers messages. Where it runs (store, address, limits) is decided when it is served.
 *
 * @example
 * ```ts
 * const echo = defineAgent({
 *   card: { name: "Echo", description: "Repeats your text.", version: "1.0.0" },
 *   async *execute({ text }) {
 *     yield reply(text);
 *   },
 * });
 * const insurer = defineAgent({ card: { name: "Insurer", description: "Insures." }, skills: [quote, claim] });
 * ```
 * @throws TypeError for what is not an object; for a `handler` or an unknown member; if an `execute` is not a function or a skill has no
 *   card entry; for two skills with one id; if a schema cannot be written as JSON Schema; if `attempts`, `tasks` or `taskAfter` is invalid
 */
export function defineAgent<Skills extends SkillMap = SkillMap, Result = ExecutorResult>(
  definition: WrittenDefinition<Result> | WrittenList<Result> | SkillAgentDefinition<Skills>,
): AgentDefinition;
export function defineAgent(
  definition: AgentDefinition | SkillListDefinition | SkillAgentDefinition,
): AgentDefinition {
  assertObject(definition, "defineAgent needs { card, execute } or { card, skills }");
  if ("handler" in definition)
    throw new TypeError("An agent with a handler needs no defineAgent: pass { card, handler } to `serve`");
  const unknown = unknownName(definition, definitionNames);
  if (unknown !== undefined) throw new TypeError(unknown);
  const { attempts = 1, tasks = "auto", taskAfter = 0 } = definition;
  if (!(attempts >= 1)) throw new TypeError("An agent's `attempts` must be a number of at least 1");
  if (!Object.hasOwn(taskCreations, tasks))
    throw new TypeError(`An agent's \`tasks\` must be one of ${Object.keys(taskCreations).join(", ")}`);
  if (typeof taskAfter !== "number" || !(taskAfter >= 0))
    throw new TypeError("An agent's `taskAfter` must be a number of milliseconds, 0 or more");
  if ("skills" in definition) {
    const listed = Array.isArray(definition.skills);
    return Object.freeze(
      skillAgent(listed ? tabled(definition as SkillListDefinition) : (definition as SkillAgentDefinition)),
    );
  }
  if (typeof definition.execute !== "function") throw new TypeError("An agent needs a function `execute`");
  return Object.freeze({ ...definition });
}

/** The same agent with its skills in a table, and their entries in the card. */
function tabled({ skills, execute, card, ...rest }: SkillListDefinition): SkillAgentDefinition {
  const entries = [...(card.skills ?? [])];
  for (const { input, output, execute: _, ...entry } of skills) {
    if (entries.some(({ id }) => id === entry.id))
      throw new TypeError(`The skill ${entry.id} is defined twice`);
    entries.push(entry);
  }
  const byId = <Value>(value: (one: AnySkill) => Value) =>
    Object.fromEntries(skills.map((one) => [one.id, value(one)]));
  return {
    ...rest,
    card: { ...card, skills: entries },
    skills: byId(({ input, output }): SkillSignature => ({ input, output })),
    execute: byId((one) => one.execute) as SkillAgentDefinition["execute"],
    ...(execute && { fallback: execute }),
  };
}

function skillAgent(definition: SkillAgentDefinition): AgentDefinition {
  const { skills, execute, match, fallback, ...rest } = definition;
  for (const id of Object.keys(skills)) {
    if (typeof execute?.[id] !== "function")
      throw new TypeError(`execute needs a function for the skill ${id}`);
    if (!rest.card.skills?.some((skill) => skill.id === id))
      throw new TypeError(`card.skills needs an entry for the skill ${id}`);
  }
  const { uri, description, params } = publication(skills);
  return {
    ...rest,
    card: { ...rest.card, skills: rest.card.skills?.map((one) => withModes(one, skills[one.id])) ?? [] },
    extensions: [...(rest.extensions ?? []), defineExtension({ uri, description, params })],
    execute: executeSkills({ skills, execute, ...(match && { match }), ...(fallback && { fallback }) }),
  };
}

/** When the task of a message is created: as the definition or else its executor says, and `"auto"` if neither does. */
export function taskCreationOf({ tasks, execute }: AgentDefinition): TaskCreation {
  return tasks ?? execute.tasks ?? "auto";
}

/** The entry of a skill with JSON as the media type of an input or output that has a schema, unless the entry names other types. */
function withModes(entry: SkillInput, contract: SkillSignature | undefined): SkillInput {
  const modes = ["application/json"];
  const { input, output } = contract ?? {};
  return { ...(input && { inputModes: modes }), ...(output && { outputModes: modes }), ...entry };
}

/**
 * The card of an agent, including the declarations of its extensions (§4.4.4).
 * @throws TypeError when an extension is declared twice
 */
export function cardOf(agent: Agent): CardInput {
  const { card } = agent;
  const added = "extensions" in agent ? (agent.extensions ?? []) : [];
  if (added.length === 0) return card;
  const extensions = [
    ...(card.capabilities?.extensions ?? []),
    ...added.map(({ declaration }) => declaration),
  ];
  const uris = extensions.map(({ uri }) => uri);
  const twice = extensions.find(({ uri }, index) => uris.indexOf(uri) < index);
  if (twice) throw new TypeError(`The extension ${twice.uri} is declared twice`);
  return { ...card, capabilities: { ...card.capabilities, extensions } };
}
