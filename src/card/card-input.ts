import type { AgentCapabilities, AgentCard, AgentInterface, AgentSkill } from "../model.js";

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
   * true that has nothing behind it keeps the server from starting (CARD-13).
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
