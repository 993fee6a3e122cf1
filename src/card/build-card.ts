import type { AgentCapabilities, AgentCard, AgentInterface, AgentSkill } from "../protocol/model.js";
import { operations } from "../protocol/operations.js";

/** A skill as an author writes it; `tags` are `[]` when left out. */
export interface SkillInput extends Omit<AgentSkill, "tags"> {
  tags?: string[];
}

/**
 * An agent card as an author writes it (§4.4.1): who the agent is and what it can do. Where it is reached and which optional
 * features work is known to the server, which fills it in; saying it here as well is allowed and then checked.
 */
export interface CardInput extends Partial<Omit<AgentCard, "supportedInterfaces" | "signatures" | "skills">> {
  name: string;
  description: string;
  /** Version of the agent itself; `"0.1.0"` when left out. */
  version?: string;
  /**
   * Optional features. A flag that is left out is set to what works; one set to false switches the feature off; one set to
   * true that has nothing behind it keeps the server from starting (§3.3.4).
   */
  capabilities?: AgentCapabilities;
  /**
   * Media types taken by every skill that names none; `["text/plain"]` when left out. A message with a part of another type is
   * refused when the card or one of its skills names any; when none does, parts of any type are taken.
   */
  defaultInputModes?: string[];
  /** Media types produced by every skill that names none; `["text/plain"]` when left out. */
  defaultOutputModes?: string[];
  /**
   * What the agent can do: clients choose agents by it. When left out, one skill made of the agent's name and description, with
   * the id `default` and the tag `general`. `[]` is published as it is, with a warning.
   */
  skills?: SkillInput[];
  /**
   * Replaces the list that the server makes of what it serves. A `url` that begins with `/` is relative to the agent;
   * absolute ones below the agent must be served, others (a second home of the agent) are believed.
   */
  supportedInterfaces?: AgentInterface[];
}

/** An optional feature of the protocol: the name of a flag in `AgentCapabilities`. */
export type Capability = "streaming" | "pushNotifications" | "extendedAgentCard";

/** What the server knows about an agent and its author need not write. */
export interface CardFacts {
  /** Absolute URL of the agent without a slash at its end. */
  readonly url: string;
  /** Absolute addresses that are really served, the preferred one first. */
  readonly served: readonly AgentInterface[];
  /** Features that work. */
  readonly wired: ReadonlySet<Capability>;
}

/** All flags of `AgentCapabilities` that an operation can ask for, in the order of the operations table. */
export const capabilities: readonly Capability[] = [
  ...new Set(operations.flatMap(({ capability }) => (capability ? [capability as Capability] : []))),
];

/** Version of an agent whose card names none. */
const UNVERSIONED = "0.1.0";
const TEXT = "text/plain";

/**
 * Completes a card: defaults for what the author left out, addresses and features from what is served (§4.4.1, §8.3). The
 * result shares nothing with the input. It is not checked: the server does that before it serves it.
 */
export function buildCard(input: CardInput, { url, served, wired }: CardFacts): AgentCard {
  const { name, description, version, supportedInterfaces, capabilities, skills, ...rest } = own(input);
  return {
    name,
    description,
    supportedInterfaces: (supportedInterfaces ?? served).map((entry) => atAgent(entry, url)),
    version: version ?? UNVERSIONED,
    ...rest,
    capabilities: { ...allOf(wired), ...capabilities },
    defaultInputModes: rest.defaultInputModes ?? [TEXT],
    defaultOutputModes: rest.defaultOutputModes ?? [TEXT],
    skills: (skills ?? [wholeAgent(input)]).map(({ tags = [], ...skill }) => ({ ...skill, tags })),
  };
}

/** The agent as its only skill: a list that the protocol requires has an element (§5.7), and clients refuse an empty one. */
function wholeAgent({ name, description }: CardInput): SkillInput {
  return { id: "default", name, description, tags: ["general"] };
}

/** A copy that nobody else holds, without members that are undefined. */
function own(input: CardInput): CardInput {
  return JSON.parse(JSON.stringify(input)) as CardInput;
}

function allOf(wired: ReadonlySet<Capability>): { [flag in Capability]?: true } {
  return Object.fromEntries(capabilities.filter((flag) => wired.has(flag)).map((flag) => [flag, true]));
}

function atAgent(entry: AgentInterface, url: string): AgentInterface {
  return { ...entry, url: joinUrl(url, entry.url) };
}

/** An address below an agent: an absolute one stays as it is, a path is put behind `base`, and `/` is the base itself. */
export function joinUrl(base: string, path: string): string {
  if (!path.startsWith("/")) return path;
  return path === "/" ? base : base + path;
}
