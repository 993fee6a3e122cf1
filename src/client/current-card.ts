import type { AgentCard } from "../protocol/model.js";

/** The card in force: the public one, or the extended one in its place (§3.1.11). */
export class CurrentCard {
  #public: AgentCard;
  #extended: AgentCard | undefined;

  constructor(card: AgentCard) {
    this.#public = card;
  }

  get card(): AgentCard {
    return this.#extended ?? this.#public;
  }

  /** Puts the extended card in the place of the public one. */
  extend(card: AgentCard): void {
    this.#extended = card;
  }

  /** Goes back to the public card: the login is over. */
  forgetExtended(): void {
    this.#extended = undefined;
  }

  /** Takes in the public card anew. An extended card of another version does not count any more. */
  replace(card: AgentCard): void {
    this.#public = card;
    if (this.#extended?.version !== card.version) this.#extended = undefined;
  }
}
