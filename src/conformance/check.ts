import type { BindingName } from "../protocol/operations.js";
import type { Unchecked } from "./json.js";
import type { Peer } from "./peer.js";
import type { ScenarioRunner } from "./scenarios.js";
import type { Received, Wire } from "./wire.js";

/** The agent and the run, for every check. */
export interface CheckDeps {
  /** The card as received. */
  readonly card: Unchecked;
  readonly wire: Wire;
  /** The agent, once for each binding that it offers. */
  readonly peers: readonly Peer[];
  /** Whether the card requires credentials from every caller. */
  readonly isSecured: boolean;
  /** Whether the run has credentials of a second caller. */
  readonly hasOther: boolean;
}

/** The agent over one binding, for a check of that binding. */
export interface Subject extends CheckDeps {
  readonly peer: Peer;
  readonly scenarios: ScenarioRunner;
}

/** The card and how it was fetched, for a check of the card. */
export interface CardSubject extends CheckDeps {
  /** Undefined for a card that was passed as a value. */
  readonly source?: CardSource;
}

/** URL, request headers and response of a fetched card. */
export interface CardSource {
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly received: Received;
}

interface CheckFacts {
  /** Requirements that the check covers. */
  readonly ids: readonly string[];
  /** What the agent must do, as one sentence. */
  readonly claim: string;
}

/** A check of the card. */
export interface CardCheck extends CheckFacts {
  readonly over: "card";
  /** @throws Deviation, Inconclusive */
  run(subject: CardSubject): Promise<void>;
}

/** A check that runs over each binding, or only over the one named by `over`. */
export interface BindingCheck extends CheckFacts {
  readonly over?: BindingName;
  /** @throws Deviation, Inconclusive */
  run(subject: Subject): Promise<void>;
}

export type Check = CardCheck | BindingCheck;
