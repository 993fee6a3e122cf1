import type { BindingName } from "../protocol/operations.js";
import type { Unchecked } from "./json.js";
import type { Peer } from "./peer.js";
import type { ScenarioRunner } from "./scenarios.js";
import type { Received, Wire } from "./wire.js";

/** What every check knows. */
export interface CheckDeps {
  /** The card as it came. */
  readonly card: Unchecked;
  readonly wire: Wire;
  /** The agent over every binding that it offers. */
  readonly peers: readonly Peer[];
  /** Whether the card demands credentials of every caller. */
  readonly isSecured: boolean;
  /** Whether the credentials of another caller are known. */
  readonly hasOther: boolean;
}

/** An agent over one binding. */
export interface Subject extends CheckDeps {
  readonly peer: Peer;
  readonly stage: ScenarioRunner;
}

/** An agent by its card. */
export interface CardSubject extends CheckDeps {
  /** Undefined for a card out of a file. */
  readonly source?: CardSource;
}

/** Where a card was fetched, and how it came. */
export interface CardSource {
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly received: Received;
}

interface CheckFacts {
  /** Requirements that the check stands for. */
  readonly ids: readonly string[];
  /** What the agent is expected to do, as one sentence. */
  readonly claim: string;
}

/** A check of the card. */
export interface CardCheck extends CheckFacts {
  readonly over: "card";
  /** @throws Deviation, Inconclusive */
  run(subject: CardSubject): Promise<void>;
}

/** A check that is done over each binding, or over one that it is about. */
export interface BindingCheck extends CheckFacts {
  readonly over?: BindingName;
  /** @throws Deviation, Inconclusive */
  run(subject: Subject): Promise<void>;
}

export type Check = CardCheck | BindingCheck;
