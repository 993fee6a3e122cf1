import type { OperationName } from "../protocol/operations.js";
import { isRefused } from "./expect.js";
import { at, textAt, type Unchecked } from "./json.js";
import type { Peer } from "./peer.js";
import { Deviation, Inconclusive, Unanswered } from "./verdict.js";

/** A behaviour of an agent that a message can provoke. */
export type Scenario =
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

/** A message that may provoke a scenario. */
interface Draft {
  readonly text: string;
  /** Prefix of the message id, for agents that select their behaviour by it. */
  readonly prefix?: string;
}

interface Recipe {
  readonly drafts: readonly Draft[];
  /** Whether the result of a send shows the scenario. */
  readonly fits: (result: Unchecked) => boolean;
  readonly configuration?: object;
}

const state = (result: Unchecked): string =>
  textAt(result, "task", "status", "state").replace("TASK_STATE_", "");
const hasArtifact = (result: Unchecked): boolean => at(result, "task", "artifacts", 0) !== undefined;
const steered = (prefix: string): Draft => ({ prefix, text: "Hello" });
const said = (text: string): Draft => ({ text });

/** Messages that common test agents know; where it can help, followed by one that any agent may accept. */
const recipes: Readonly<Record<Scenario, Recipe>> = {
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

/** The names of all scenarios. */
export const scenarioNames = Object.keys(recipes) as readonly Scenario[];

/** Texts that may provoke a scenario: the caller's own, else those that common test agents know. */
export function textsFor(situation: Scenario, hints: ReadonlyMap<Scenario, string>): readonly string[] {
  const own = hints.get(situation);
  return own === undefined ? [...new Set(recipes[situation].drafts.map(({ text }) => text))] : [own];
}

/** Members of a send besides the text. */
export interface MessageExtras {
  readonly message?: object;
  readonly configuration?: object;
  readonly metadata?: object;
}

/** Parameters of a send. */
export interface SendParams {
  readonly message: { readonly messageId: string };
}

/** Unanswered messages after which scenarios that wait for an answer are no longer tried. */
const MAX_TIMEOUTS = 2;

const SAY = "--say completed=<text> names one that the agent answers";

/** Provokes scenarios, and remembers which message provoked each. */
export class ScenarioRunner {
  readonly #peer: Peer;
  /** The caller's own texts, by scenario. */
  readonly #own: ReadonlyMap<string, string>;
  readonly #found = new Map<Scenario, Draft>();
  readonly #failed = new Map<Scenario, Inconclusive>();
  /** Tasks that may not have ended. */
  readonly #open = new Set<string>();
  /** Sends without an answer in time, counted until the first answer. */
  #timeouts = 0;
  #accepted: Promise<SendParams> | undefined;

  constructor(peer: Peer, own: ReadonlyMap<string, string>) {
    this.#peer = peer;
    this.#own = own;
  }

  /**
   * The result of a send that provokes the scenario.
   * @throws Inconclusive
   */
  async reach(situation: Scenario, more: MessageExtras = {}): Promise<Unchecked> {
    const known = this.#found.get(situation);
    const failed = this.#failed.get(situation);
    if (failed !== undefined) throw failed;
    const drafts = known === undefined ? this.#drafts(situation) : [known];
    for (const draft of drafts) {
      if (situation !== "working" && !this.#own.has(situation)) this.#checkAnswers();
      const found = await this.#attempt(situation, draft, more);
      if (found === undefined) continue;
      this.#found.set(situation, draft);
      return found;
    }
    const tried = drafts.map(({ text, prefix }) => (prefix === undefined ? `"${text}"` : `id ${prefix}…`));
    const reason = new Inconclusive(`no message brought the agent to "${situation}" (${tried.join(", ")})`);
    if (known === undefined) this.#failed.set(situation, reason);
    throw reason;
  }

  /** The task of {@link reach}. */
  async task(situation: Scenario, more: MessageExtras = {}): Promise<Unchecked> {
    return at(await this.reach(situation, more), "task");
  }

  /**
   * Parameters of a send that provokes the scenario.
   * @throws Inconclusive
   */
  async params(situation: Scenario, more: MessageExtras = {}): Promise<SendParams> {
    if (!this.#found.has(situation)) await this.reach(situation);
    return this.#params(this.#found.get(situation) ?? { text: "Hello" }, more);
  }

  /** Parameters of a plain message, which the agent may refuse. */
  plain(more: MessageExtras = {}): SendParams {
    return this.#params(this.#plainDraft(), more);
  }

  /**
   * Parameters of a plain message that the agent accepts.
   * @throws Inconclusive when the agent refuses plain text, or does not answer in time
   */
  async acceptedParams(more: MessageExtras = {}): Promise<SendParams> {
    this.#accepted ??= this.#tryPlain();
    await this.#accepted;
    return this.plain(more);
  }

  /** Sends a plain message once. Errors other than a refusal of its content are left to the checks. */
  async #tryPlain(): Promise<SendParams> {
    const params = this.plain();
    const { text } = this.#plainDraft();
    this.#checkAnswers();
    try {
      const answer = await this.#peer.call("SendMessage", params);
      this.#trackTask(answer.result);
      const refusesContent =
        isRefused(answer, "INVALID_PARAMS") || isRefused(answer, "CONTENT_TYPE_NOT_SUPPORTED");
      if (!refusesContent) return params;
      throw new Inconclusive(`the agent does not take the text "${text}": ${SAY}`);
    } catch (thrown) {
      if (!(thrown instanceof Unanswered)) throw thrown;
      throw new Inconclusive(`${thrown.message} to the text "${text}": ${SAY}`);
    }
  }

  #plainDraft(): Draft {
    const known = (["completed", "message"] as const).map((situation): Draft | undefined => {
      const own = this.#own.get(situation);
      return own === undefined ? this.#found.get(situation) : { text: own };
    });
    return known.find((draft) => draft !== undefined) ?? { text: "Hello" };
  }

  /** @throws Inconclusive when the agent answered none of the first messages: further ones would only wait for the time limit */
  #checkAnswers(): void {
    if (this.#timeouts < MAX_TIMEOUTS) return;
    throw new Inconclusive(`the agent did not answer the first ${MAX_TIMEOUTS} messages in time: ${SAY}`);
  }

  /** Cancels the tasks that may still be running. */
  async clear(): Promise<void> {
    for (const id of this.#open) await this.#quietly("CancelTask", { id });
    this.#open.clear();
  }

  #drafts(situation: Scenario): readonly Draft[] {
    const own = this.#own.get(situation);
    return own === undefined ? recipes[situation].drafts : [{ text: own }];
  }

  #params({ text, prefix }: Draft, { message, ...rest }: MessageExtras): SendParams {
    const id = crypto.randomUUID();
    const messageId = prefix === undefined ? id : `${prefix}-${id}`;
    return { message: { messageId, role: "ROLE_USER", parts: [{ text }], ...message } as never, ...rest };
  }

  async #attempt(situation: Scenario, draft: Draft, more: MessageExtras): Promise<Unchecked> {
    const { fits, configuration } = recipes[situation];
    const params = this.#params(draft, {
      ...more,
      configuration: { ...configuration, ...more.configuration },
    });
    const result = await this.#quietly("SendMessage", params, situation !== "working");
    this.#trackTask(result);
    if (!fits(result)) return undefined;
    if (situation !== "working") return result;
    // A fast agent may have ended the task in the meantime.
    const task = await this.#quietly("GetTask", { id: textAt(result, "task", "id") });
    return fits({ task }) ? { task } : undefined;
  }

  /** Remembers the task of a send until it is known to have ended. */
  #trackTask(result: Unchecked): void {
    const id = textAt(result, "task", "id");
    if (id !== "" && !/COMPLETED|FAILED|CANCELED|REJECTED/.test(state(result))) this.#open.add(id);
  }

  /** @param isWaiting whether the agent does its work before it answers */
  async #quietly(operation: OperationName, params: object, isWaiting = false): Promise<Unchecked> {
    try {
      const { result } = await this.#peer.call(operation, params);
      if (isWaiting) this.#timeouts = Number.NEGATIVE_INFINITY;
      return result;
    } catch (thrown) {
      if (isWaiting && thrown instanceof Unanswered) this.#timeouts += 1;
      if (thrown instanceof Deviation) return undefined;
      throw thrown;
    }
  }
}
