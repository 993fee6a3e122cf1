import type { CardInput, SkillInput } from "../card/build-card.js";
import type { CallContext } from "../protocol/call-context.js";
import type { AgentCard } from "../protocol/model.js";
import type { A2AHandler } from "../protocol/operations.js";
import { executeSkills, type RouteOptions, type SkillExecutors } from "./execute-skills.js";
import type { CancelHook, Executor, TaskCreation } from "./executor.js";
import { defineExtension, type Extension } from "./extension.js";
import type { SkillContract, SkillMap } from "./skills/contract.js";
import { publication } from "./skills/published.js";

const JSON_TYPE = "application/json";

/** Every value of `tasks`. */
const taskCreations: Readonly<Record<TaskCreation, true>> = { auto: true, always: true, never: true };

/**
 * What the extended card has in place of members of the public one: the same for everybody who may see it, or made for the
 * caller; undefined while there is none (§3.1.11).
 */
export type ExtendedCard =
  | Partial<AgentCard>
  | ((publicCard: AgentCard, call: CallContext) => MaybeCard | Promise<MaybeCard>);

type MaybeCard = Partial<AgentCard> | undefined;

/** An agent made of a card and the code that does the work. */
export interface AgentDefinition {
  readonly card: CardInput;
  readonly execute: Executor;
  /**
   * Extensions that the agent offers: declared in its card, off for callers who do not ask for them. Their data is
   * checked by their own schemas.
   */
  readonly extensions?: readonly Extension[];
  /** Asked before a task is canceled; without it every cancel goes through and aborts the run's signal. */
  readonly cancel?: CancelHook;
  /** Answer to GetExtendedAgentCard. Setting it declares the capability. */
  readonly extendedCard?: ExtendedCard;
  /**
   * Give the extended card to callers without an identity too; off by default. This contradicts §13.3, which requires an
   * authenticated caller: turn it on only for a card that holds nothing confidential.
   */
  readonly extendedCardForAnyone?: boolean;
  /** When the task of a message is made; what the executor says by default, which is `"auto"` unless it was adapted. */
  readonly tasks?: TaskCreation;
  /**
   * Milliseconds after which a caller who does not wait gets a task: 100 by default, `Infinity` for never. It counts for
   * SendMessage with `returnImmediately` while `tasks` is `"auto"`: when the executor has made neither a task nor a reply by
   * then, the server makes the task as SUBMITTED and answers with it (§3.2.2).
   */
  readonly taskAfter?: number;
  /** What happens to a message for a task whose executor is running: it waits for the next run, or is refused. */
  readonly followUps?: "queue" | "refuse";
  /**
   * How often the work on a message is begun at most, when the process that is at it ends before the work does; 1 by default:
   * then the task fails. With more the executor runs again, here or on another node, and learns of it by `attempt`.
   */
  readonly attempts?: number;
  /**
   * Give a repeated send what the first one got instead of letting it have its effect again (§3.3.1). Sends are the same when
   * they carry the same `Idempotency-Key`, or without that header the same `messageId`. Off by default.
   */
  readonly idempotentSends?: boolean;
  /** Answer a cancel of a task that is already CANCELED with that task instead of an error (§3.1.5). */
  readonly repeatableCancel?: boolean;
}

/** An agent that answers the operations itself: for gateways and bridges. */
export interface HandlerAgent {
  readonly card: CardInput;
  readonly handler: A2AHandler<CallContext>;
}

/** What the server serves. */
export type Agent = AgentDefinition | HandlerAgent;

/**
 * An agent whose skills have contracts, as `parley codegen` writes them. Messages are routed to the executor of their skill;
 * inputs and outputs are checked; the schemas are published in the card.
 */
export interface SkillAgentDefinition<Skills extends SkillMap = SkillMap>
  extends Omit<AgentDefinition, "execute">,
    RouteOptions {
  /** Contracts by the ids of skills. Each has an entry in the card that says for people what the skill does. */
  readonly skills: Skills;
  readonly execute: SkillExecutors<NoInfer<Skills>>;
}

/**
 * Defines an agent: its card and the code behind it. The definition says nothing about where it runs; store, address and
 * limits are given when it is served.
 *
 * @throws TypeError when `execute` is no function, or no table of functions for the `skills` that are given, and when `attempts`,
 * `tasks` or `taskAfter` has a value that it cannot have; faults in the card are found when the agent is served
 */
export function defineAgent(definition: AgentDefinition): AgentDefinition;
export function defineAgent<Skills extends SkillMap>(
  definition: SkillAgentDefinition<Skills>,
): AgentDefinition;
export function defineAgent(definition: AgentDefinition | SkillAgentDefinition): AgentDefinition {
  const { attempts = 1, tasks = "auto", taskAfter = 0 } = definition;
  if (!(attempts >= 1)) throw new TypeError("An agent's `attempts` must be a number from 1 on");
  if (!Object.hasOwn(taskCreations, tasks)) {
    throw new TypeError(`An agent's \`tasks\` must be one of ${Object.keys(taskCreations).join(", ")}`);
  }
  if (typeof taskAfter !== "number" || !(taskAfter >= 0))
    throw new TypeError("An agent's `taskAfter` must be milliseconds from 0 on");
  if ("skills" in definition) return Object.freeze(skillAgent(definition));
  if (typeof definition.execute !== "function") throw new TypeError("An agent needs a function `execute`");
  return Object.freeze({ ...definition });
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
    card: {
      ...rest.card,
      skills: (rest.card.skills ?? []).map((entry) => withModes(entry, skills[entry.id])),
    },
    extensions: [...(rest.extensions ?? []), defineExtension({ uri, description, params })],
    execute: executeSkills({ skills, execute, ...(match && { match }), ...(fallback && { fallback }) }),
  };
}

/** When the task of a message to an agent is made: as the definition says, else as its executor does. */
export function taskCreationOf({ tasks, execute }: AgentDefinition): TaskCreation {
  return tasks ?? execute.tasks ?? "auto";
}

/** What has a schema is JSON. */
function withModes(entry: SkillInput, contract: SkillContract | undefined): SkillInput {
  return {
    ...(contract?.input && { inputModes: [JSON_TYPE] }),
    ...(contract?.output && { outputModes: [JSON_TYPE] }),
    ...entry,
  };
}

/**
 * The card of an agent with the declarations of its extensions in it (§4.4.4).
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
  const twice = extensions.find(({ uri }, index) =>
    extensions.slice(0, index).some((one) => one.uri === uri),
  );
  if (twice) throw new TypeError(`The extension ${twice.uri} is declared twice`);
  return { ...card, capabilities: { ...card.capabilities, extensions } };
}
