import type { CardSource } from "../check.js";
import type { Json } from "../json.js";
import type { Situation } from "../situations.js";
import type { Wire } from "../wire.js";
import type { EarlierPeer } from "./earlier-peer.js";

/** An agent in an earlier version. */
export interface EarlierSubject {
  /** The card as it came. */
  readonly card: Json;
  readonly source?: CardSource;
  readonly wire: Wire;
  readonly peer: EarlierPeer;
  /** Text of a message that may bring the agent into a situation. */
  readonly texts: (situation: Situation) => readonly string[];
  /** Tasks that may not have ended. */
  readonly open: Set<string>;
}

/** A check of what an agent does in an earlier version. */
export interface EarlierCheck {
  /** Requirements that the check stands for. */
  readonly ids: readonly string[];
  /** What the agent is expected to do, as one sentence. */
  readonly claim: string;
  readonly over: "card" | "JSONRPC";
  /** @throws Deviation, Unprovoked */
  run(subject: EarlierSubject): Promise<void>;
}

/** What is held against a version. */
export interface EarlierSuite {
  readonly version: string;
  /** Whether its callers name it in a header. */
  readonly isNamed: boolean;
  /** Whether its cards are elsewhere than those of today. */
  readonly hasOldPath: boolean;
  readonly checks: readonly EarlierCheck[];
}

/** What every check of an earlier version stands for: rules and shapes are those of that version, and nothing else is. */
export const asItWas: readonly string[] = ["VER-08", "LEG-02"];
