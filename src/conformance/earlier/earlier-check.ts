import type { CardSource } from "../check.js";
import type { Unchecked } from "../json.js";
import { answerOf, eventsOf } from "../json-rpc-peer.js";
import type { EventSource, PeerAnswer } from "../peer.js";
import type { Scenario } from "../scenarios.js";
import type { Wire } from "../wire.js";

/** Options of an {@link EarlierPeer}. */
interface EarlierPeerOptions {
  readonly wire: Wire;
  readonly url: string;
  /** Value of the `A2A-Version` header; undefined for a version whose clients do not send the header. */
  readonly version?: string;
}

/** An agent over the JSON-RPC of an earlier version. */
export class EarlierPeer {
  readonly url: string;
  readonly #options: EarlierPeerOptions;
  #id = 0;

  constructor(options: EarlierPeerOptions) {
    this.#options = options;
    this.url = options.url;
  }

  /** Calls a method. @throws Unanswered */
  async call(method: string, params?: object): Promise<PeerAnswer> {
    this.#id += 1;
    return this.send({ jsonrpc: "2.0", id: this.#id, method, ...(params && { params }) });
  }

  /** Sends any body, valid or not. @throws Unanswered */
  async send(body: unknown): Promise<PeerAnswer> {
    return answerOf(await this.#options.wire.send(this.#request(body)));
  }

  /** Opens a stream; returns the plain answer if the agent does not open one. @throws Unanswered */
  async open(method: string, params: object): Promise<PeerAnswer | EventSource> {
    this.#id += 1;
    const body = { jsonrpc: "2.0", id: this.#id, method, params };
    const answer = await this.#options.wire.open(this.#request(body));
    if (!("data" in answer)) return answerOf(answer);
    return { ...answer, id: this.#id, events: eventsOf(answer) };
  }

  #request(body: unknown) {
    const { url, version } = this.#options;
    const headers = {
      "content-type": "application/json",
      ...(version !== undefined && { "a2a-version": version }),
    };
    return { method: "POST", url, headers, body: typeof body === "string" ? body : JSON.stringify(body) };
  }
}

/** The agent and the run, for a check of an earlier version. */
export interface EarlierSubject {
  /** The card as received. */
  readonly card: Unchecked;
  readonly source?: CardSource;
  readonly wire: Wire;
  readonly peer: EarlierPeer;
  /** Texts of messages that may provoke a scenario. */
  readonly texts: (scenario: Scenario) => readonly string[];
  /** Ids of the tasks that may not have ended. */
  readonly open: Set<string>;
}

/** A check of an agent in an earlier version. */
export interface EarlierCheck {
  /** Requirements that the check covers. */
  readonly ids: readonly string[];
  /** What the agent must do, as one sentence. */
  readonly claim: string;
  readonly over: "card" | "JSONRPC";
  /** @throws Deviation, Inconclusive */
  run(subject: EarlierSubject): Promise<void>;
}

/** The checks of an earlier version. */
export interface EarlierSuite {
  readonly version: string;
  /** Whether requests name the version in the `A2A-Version` header. */
  readonly isNamed: boolean;
  /** Whether its cards are at another well-known path than those of the current version. */
  readonly hasOldPath: boolean;
  readonly checks: readonly EarlierCheck[];
}

/** Requirements that every check of an earlier version covers: the agent follows the rules and shapes of that version. */
export const earlierVersionIds: readonly string[] = ["VER-08", "LEG-02"];
