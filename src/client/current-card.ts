import type { AgentCard } from "../protocol/model.js";

/** The current card: the public one, or the extended one after it was fetched (§3.1.11). */
export class CurrentCard {
  #public: AgentCard;
  #extended: AgentCard | undefined;

  constructor(card: AgentCard) {
    this.#public = card;
  }

  get card(): AgentCard {
    return this.#extended ?? this.#public;
  }

  /** Replaces the public card with the extended one. */
  extend(card: AgentCard): void {
    this.#extended = card;
  }

  /** Returns to the public card when the login is refused. */
  forgetExtended(): void {
    this.#extended = undefined;
  }

  /** Replaces the public card. An extended card of another version is dropped. */
  replace(card: AgentCard): void {
    this.#public = card;
    if (this.#extended?.version !== card.version) this.#extended = undefined;
  }
}
