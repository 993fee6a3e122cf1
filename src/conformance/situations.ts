import type { OperationName } from "../operations.js";
import { at, type Json, textAt } from "./json.js";
import type { Peer } from "./peer.js";
import { Deviation, Unprovoked } from "./verdict.js";

/** What an agent can be brought to by a message. */
export type Situation =
  | "message"
  | "completed"
  | "artifact"
  | "chunks"
  | "failed"
  | "thrown"
  | "rejected"
  | "working"
  | "input-required"
  | "auth-required"
  | "metadata";

/** A message that may do it. */
interface Draft {
  readonly text: string;
  /** How its id begins, for agents that are steered by it. */
  readonly prefix?: string;
}

interface Recipe {
  readonly drafts: readonly Draft[];
  /** Whether the result of a send is what was wanted. */
  readonly fits: (result: Json) => boolean;
  readonly configuration?: object;
}

const state = (result: Json): string => textAt(result, "task", "status", "state").replace("TASK_STATE_", "");
const hasArtifact = (result: Json): boolean => at(result, "task", "artifacts", 0) !== undefined;
const steered = (prefix: string): Draft => ({ prefix, text: "Hello" });
const said = (text: string): Draft => ({ text });

/** Messages that agents for tests know, and at last one that any agent may take. */
const recipes: Readonly<Record<Situation, Recipe>> = {
  message: {
    drafts: [said("echo hello"), steered("tck-message-response"), said("Hello")],
    fits: (result) => at(result, "message") !== undefined,
  },
  completed: {
    drafts: [said("task"), steered("tck-complete-task"), said("Hello")],
    fits: (result) => state(result) === "COMPLETED",
  },
  artifact: {
    drafts: [said("task"), steered("tck-artifact-text"), said("Hello")],
    fits: (result) => state(result) === "COMPLETED" && hasArtifact(result),
  },
  chunks: {
    drafts: [said("stream 5"), steered("tck-stream-001"), said("task"), said("Hello")],
    fits: (result) => state(result) === "COMPLETED" && hasArtifact(result),
  },
  failed: { drafts: [said("fail")], fits: (result) => state(result) === "FAILED" },
  thrown: { drafts: [said("throw")], fits: (result) => state(result) === "FAILED" },
  rejected: {
    drafts: [said("reject"), steered("tck-reject-task")],
    fits: (result) => state(result) === "REJECTED",
  },
  working: {
    drafts: [said("hold 60000"), steered("test-resubscribe-message-id")],
    fits: (result) => /^(WORKING|SUBMITTED)$/.test(state(result)),
    configuration: { returnImmediately: true },
  },
  "input-required": {
    drafts: [said("ask"), steered("tck-input-required")],
    fits: (result) => state(result) === "INPUT_REQUIRED",
  },
  "auth-required": { drafts: [said("login")], fits: (result) => state(result) === "AUTH_REQUIRED" },
  metadata: {
    drafts: [said("metadata")],
    fits: (result) => at(result, "task", "artifacts", 0, "parts", 0, "data", "metadata") !== undefined,
  },
};

/** All situations, for those who want to name one. */
export const situations = Object.keys(recipes) as readonly Situation[];

/** Texts that may bring an agent into a situation: the one that is hinted at, or else what agents for tests know. */
export function textsFor(situation: Situation, hints: ReadonlyMap<Situation, string>): readonly string[] {
  const own = hints.get(situation);
  return own === undefined ? [...new Set(recipes[situation].drafts.map(({ text }) => text))] : [own];
}

/** What a message has besides its text. */
export interface MessageMore {
  readonly message?: object;
  readonly configuration?: object;
  readonly metadata?: object;
}

/** A request for a send. */
export interface SendParams {
  readonly message: { readonly messageId: string };
}

/** Brings an agent into situations, and remembers which message does it. */
export class Stage {
  readonly #peer: Peer;
  /** Texts of the caller's own, by situation. */
  readonly #own: ReadonlyMap<string, string>;
  readonly #found = new Map<Situation, Draft>();
  readonly #failed = new Map<Situation, Unprovoked>();
  /** Tasks that may not have ended. */
  readonly #open = new Set<string>();

  constructor(peer: Peer, own: ReadonlyMap<string, string>) {
    this.#peer = peer;
    this.#own = own;
  }

  /**
   * The result of a send that brings the situation about.
   * @throws Unprovoked
   */
  async reach(situation: Situation, more: MessageMore = {}): Promise<Json> {
    const known = this.#found.get(situation);
    const failed = this.#failed.get(situation);
    if (failed !== undefined) throw failed;
    const drafts = known === undefined ? this.#drafts(situation) : [known];
    for (const draft of drafts) {
      const found = await this.#attempt(situation, draft, more);
      if (found === undefined) continue;
      this.#found.set(situation, draft);
      return found;
    }
    const tried = drafts.map(({ text, prefix }) => (prefix === undefined ? `"${text}"` : `id ${prefix}…`));
    const reason = new Unprovoked(`no message brought the agent to "${situation}" (${tried.join(", ")})`);
    if (known === undefined) this.#failed.set(situation, reason);
    throw reason;
  }

  /** The task of {@link reach}. */
  async task(situation: Situation, more: MessageMore = {}): Promise<Json> {
    return at(await this.reach(situation, more), "task");
  }

  /**
   * Parameters of a send that bring the situation about.
   * @throws Unprovoked
   */
  async params(situation: Situation, more: MessageMore = {}): Promise<SendParams> {
    if (!this.#found.has(situation)) await this.reach(situation);
    return this.#params(this.#found.get(situation) ?? { text: "Hello" }, more);
  }

  /** Parameters for a message that says anything. */
  plain(more: MessageMore = {}): SendParams {
    const [draft = { text: "Hello" }] = [this.#found.get("completed"), this.#found.get("message")].filter(
      (one) => one !== undefined,
    );
    return this.#params(draft, more);
  }

  /** Cancels what may still be at work. */
  async clear(): Promise<void> {
    for (const id of this.#open) await this.#quietly("CancelTask", { id });
    this.#open.clear();
  }

  #drafts(situation: Situation): readonly Draft[] {
    const own = this.#own.get(situation);
    return own === undefined ? recipes[situation].drafts : [{ text: own }];
  }

  #params({ text, prefix }: Draft, { message, ...rest }: MessageMore): SendParams {
    const id = crypto.randomUUID();
    const messageId = prefix === undefined ? id : `${prefix}-${id}`;
    return { message: { messageId, role: "ROLE_USER", parts: [{ text }], ...message } as never, ...rest };
  }

  async #attempt(situation: Situation, draft: Draft, more: MessageMore): Promise<Json> {
    const { fits, configuration } = recipes[situation];
    const params = this.#params(draft, {
      ...more,
      configuration: { ...configuration, ...more.configuration },
    });
    const result = await this.#quietly("SendMessage", params);
    const id = textAt(result, "task", "id");
    if (id !== "" && !/COMPLETED|FAILED|CANCELED|REJECTED/.test(state(result))) this.#open.add(id);
    if (!fits(result)) return undefined;
    if (situation !== "working") return result;
    // An agent that is quick may have ended it meanwhile.
    const task = await this.#quietly("GetTask", { id });
    return fits({ task }) ? { task } : undefined;
  }

  async #quietly(operation: OperationName, params: object): Promise<Json> {
    try {
      return (await this.#peer.call(operation, params)).result;
    } catch (thrown) {
      if (thrown instanceof Deviation) return undefined;
      throw thrown;
    }
  }
}
