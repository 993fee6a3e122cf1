import type { AgentCard } from "../protocol/model.js";

/** The card that the client uses: the public one, or the extended one that has replaced it (§3.1.11). */
export class CurrentCard {
  #public: AgentCard;
  #extended: AgentCard | undefined;

  constructor(card: AgentCard) {
    this.#public = card;
  }

  /** The extended card if there is one, else the public one. */
  get card(): AgentCard {
    return this.#extended ?? this.#public;
  }

  /** Uses the extended card instead of the public one. */
  extend(card: AgentCard): void {
    this.#extended = card;
  }

  /** Returns to the public card, because the credentials were refused or are missing. */
  forgetExtended(): void {
    this.#extended = undefined;
  }

  /** Replaces the public card. Drops an extended card whose `version` differs. */
  replace(card: AgentCard): void {
    this.#public = card;
    if (this.#extended?.version !== card.version) this.#extended = undefined;
  }
}
