import { type Optional, omitUndefined } from "../json/omit.js";
import type { AgentCapabilities, AgentCard, AgentInterface, AgentSkill } from "../protocol/model.js";
import { operations } from "../protocol/operations.js";

/** A skill as an author writes it; `tags` defaults to `[]`. */
export interface SkillInput extends Omit<AgentSkill, "tags"> {
  tags?: string[] | undefined;
}

/**
 * An agent card as an author writes it (§4.4.1): what the agent is and what it can do. The server fills in addresses
 * and optional features; when the author sets them too, they are checked.
 *
 * @example
 * ```ts
 * const card: CardInput = {
 *   name: "Weekend planner",
 *   description: "Plans a weekend in a city.",
 *   version: "1.0.0",
 *   skills: [{ id: "plan", name: "Plan", description: "Plans two days.", tags: ["travel"] }],
 * };
 * ```
 */
export interface CardInput
  extends Optional<
    Omit<AgentCard, "supportedInterfaces" | "signatures" | "skills" | "name" | "description">
  > {
  /** Name of the agent, for people. */
  name: string;
  /** What the agent does, for people and for the models that choose agents. */
  description: string;
  /** Version of the agent itself; `"0.1.0"` by default. */
  version?: string | undefined;
  /**
   * Optional features. An omitted flag is set to what the server supports; `false` switches the feature off; `true` for
   * a feature that is not supported keeps the server from starting (§3.3.4).
   */
  capabilities?: AgentCapabilities | undefined;
  /**
   * Media types accepted by every skill that names none; `["text/plain"]` by default. If the card or one of its skills names
   * any, the server refuses a message with a part whose type is in none of these lists, unless the agent has a handler.
   */
  defaultInputModes?: string[] | undefined;
  /** Media types produced by every skill that names none; `["text/plain"]` by default. */
  defaultOutputModes?: string[] | undefined;
  /**
   * What the agent can do; clients choose agents by it. Default: one skill made of the agent's name and description,
   * with the id `default` and the tag `general`. `[]` is published unchanged, with a warning.
   */
  skills?: SkillInput[] | undefined;
  /**
   * Replaces the list that the server generates. A `url` that begins with `/` is relative to the agent. Absolute URLs
   * below the agent's own URL must be served by this server; others (a second deployment) are not checked.
   */
  supportedInterfaces?: AgentInterface[] | undefined;
}

/** An optional feature of the protocol: the name of a flag in `AgentCapabilities`. */
export type Capability = "streaming" | "pushNotifications" | "extendedAgentCard";

/** What the server knows about an agent, so that its author need not write it. */
export interface CardFacts {
  /** Absolute URL of the agent without a trailing slash. */
  readonly url: string;
  /** Interfaces that the server serves, the preferred one first. */
  readonly served: readonly AgentInterface[];
  /** Optional features that the server supports for this agent. */
  readonly supported: ReadonlySet<Capability>;
}

/** Flags of `AgentCapabilities` that an operation can require, in the order of the operations table. */
export const capabilities: readonly Capability[] = [
  ...new Set(operations.flatMap(({ capability }) => (capability ? [capability as Capability] : []))),
];

/** Version of an agent whose card has none. */
const DEFAULT_VERSION = "0.1.0";
const TEXT = "text/plain";

/**
 * Completes a card: defaults for omitted members, addresses and features from what is served (§4.4.1, §8.3). The result
 * shares no object with the input. It is not validated here; the server validates it before serving it.
 */
export function buildCard(input: CardInput, { url, served, supported }: CardFacts): AgentCard {
  const { name, description, version, supportedInterfaces, capabilities, skills, ...rest } = own(input);
  return {
    name,
    description,
    supportedInterfaces: (supportedInterfaces ?? served).map((entry) => atAgent(entry, url)),
    version: version ?? DEFAULT_VERSION,
    ...omitUndefined(rest),
    capabilities: { ...flagsOf(supported), ...capabilities },
    defaultInputModes: rest.defaultInputModes ?? [TEXT],
    defaultOutputModes: rest.defaultOutputModes ?? [TEXT],
    skills: (skills ?? [wholeAgent(input)]).map(({ tags = [], ...skill }) => ({ ...skill, tags })),
  };
}

/**
 * Describes the agent as its only skill: the protocol requires a non-empty list (§5.7), and some clients refuse an empty
 * one.
 */
function wholeAgent({ name, description }: CardInput): SkillInput {
  return { id: "default", name, description, tags: ["general"] };
}

/** A private copy without undefined members. */
function own(input: CardInput): CardInput {
  return JSON.parse(JSON.stringify(input)) as CardInput;
}

function flagsOf(supported: ReadonlySet<Capability>): { [flag in Capability]?: true } {
  return Object.fromEntries(capabilities.filter((flag) => supported.has(flag)).map((flag) => [flag, true]));
}

function atAgent(entry: AgentInterface, url: string): AgentInterface {
  return { ...entry, url: joinUrl(url, entry.url) };
}

/**
 * A URL below an agent: an absolute URL is returned unchanged, a path is appended to `base`, and `/` is the base
 * itself.
 */
export function joinUrl(base: string, path: string): string {
  if (!path.startsWith("/")) return path;
  return path === "/" ? base : base + path;
}
