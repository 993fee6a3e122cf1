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
const prefixed = (prefix: string): Draft => ({ prefix, text: "Hello" });
const plainText = (text: string): Draft => ({ text });

/** Messages that common test agents know. Where a message of any content may provoke the scenario, "Hello" is the last one. */
const recipes: Readonly<Record<Scenario, Recipe>> = {
  message: {
    drafts: [plainText("echo hello"), prefixed("tck-message-response"), plainText("Hello")],
    fits: (result) => at(result, "message") !== undefined,
  },
  completed: {
    drafts: [plainText("task"), prefixed("tck-complete-task"), plainText("Hello")],
    fits: (result) => state(result) === "COMPLETED",
  },
  artifact: {
    drafts: [plainText("task"), prefixed("tck-artifact-text"), plainText("Hello")],
    fits: (result) => state(result) === "COMPLETED" && hasArtifact(result),
  },
  chunks: {
    drafts: [plainText("stream 5"), prefixed("tck-stream-001"), plainText("task"), plainText("Hello")],
    fits: (result) => state(result) === "COMPLETED" && hasArtifact(result),
  },
  failed: { drafts: [plainText("fail")], fits: (result) => state(result) === "FAILED" },
  thrown: { drafts: [plainText("throw")], fits: (result) => state(result) === "FAILED" },
  rejected: {
    drafts: [plainText("reject"), prefixed("tck-reject-task")],
    fits: (result) => state(result) === "REJECTED",
  },
  working: {
    drafts: [plainText("hold 60000"), prefixed("test-resubscribe-message-id")],
    fits: (result) => /^(WORKING|SUBMITTED)$/.test(state(result)),
    configuration: { returnImmediately: true },
  },
  "input-required": {
    drafts: [plainText("ask"), prefixed("tck-input-required")],
    fits: (result) => state(result) === "INPUT_REQUIRED",
  },
  "auth-required": { drafts: [plainText("login")], fits: (result) => state(result) === "AUTH_REQUIRED" },
  metadata: {
    drafts: [plainText("metadata")],
    fits: (result) => at(result, "task", "artifacts", 0, "parts", 0, "data", "metadata") !== undefined,
  },
};

/** The names of all scenarios. */
export const scenarioNames = Object.keys(recipes) as readonly Scenario[];

/** Texts that may provoke a scenario: the one in `hints`, else those that common test agents know. */
export function textsFor(scenario: Scenario, hints: ReadonlyMap<Scenario, string>): readonly string[] {
  const own = hints.get(scenario);
  return own === undefined ? [...new Set(recipes[scenario].drafts.map(({ text }) => text))] : [own];
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

const SAY = "name one that the agent answers with --say completed=<text>";

/** Provokes scenarios over one binding, and remembers which message provoked each. */
export class ScenarioRunner {
  readonly #peer: Peer;
  /** Texts that replace the built-in messages, by scenario. */
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
  async reach(scenario: Scenario, more: MessageExtras = {}): Promise<Unchecked> {
    const known = this.#found.get(scenario);
    const failed = this.#failed.get(scenario);
    if (failed !== undefined) throw failed;
    const drafts = known === undefined ? this.#drafts(scenario) : [known];
    for (const draft of drafts) {
      if (scenario !== "working" && !this.#own.has(scenario)) this.#checkAnswers();
      const found = await this.#attempt(scenario, draft, more);
      if (found === undefined) continue;
      this.#found.set(scenario, draft);
      return found;
    }
    const tried = drafts.map(({ text, prefix }) => (prefix === undefined ? `"${text}"` : `id ${prefix}…`));
    const reason = new Inconclusive(`no message brought the agent to "${scenario}" (${tried.join(", ")})`);
    if (known === undefined) this.#failed.set(scenario, reason);
    throw reason;
  }

  /** The task of {@link reach}. @throws Inconclusive */
  async task(scenario: Scenario, more: MessageExtras = {}): Promise<Unchecked> {
    return at(await this.reach(scenario, more), "task");
  }

  /**
   * Parameters of a send that provokes the scenario.
   * @throws Inconclusive
   */
  async params(scenario: Scenario, more: MessageExtras = {}): Promise<SendParams> {
    if (!this.#found.has(scenario)) await this.reach(scenario);
    return this.#params(this.#found.get(scenario) ?? { text: "Hello" }, more);
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

  /** Sends a plain message. Only a refusal of its content is an error here: the checks report any other. */
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
      throw new Inconclusive(`the agent does not accept the text "${text}": ${SAY}`);
    } catch (thrown) {
      if (!(thrown instanceof Unanswered)) throw thrown;
      throw new Inconclusive(`${thrown.message} to the text "${text}": ${SAY}`);
    }
  }

  #plainDraft(): Draft {
    const known = (["completed", "message"] as const).map((scenario): Draft | undefined => {
      const own = this.#own.get(scenario);
      return own === undefined ? this.#found.get(scenario) : { text: own };
    });
    return known.find((draft) => draft !== undefined) ?? { text: "Hello" };
  }

  /** @throws Inconclusive if the agent answered none of the first messages: each further one would cost the whole time limit */
  #checkAnswers(): void {
    if (this.#timeouts < MAX_TIMEOUTS) return;
    throw new Inconclusive(`the agent did not answer the first ${MAX_TIMEOUTS} messages in time: ${SAY}`);
  }

  /** Cancels the tasks that may not have ended. */
  async clear(): Promise<void> {
    for (const id of this.#open) await this.#resultOf("CancelTask", { id });
    this.#open.clear();
  }

  #drafts(scenario: Scenario): readonly Draft[] {
    const own = this.#own.get(scenario);
    return own === undefined ? recipes[scenario].drafts : [{ text: own }];
  }

  #params({ text, prefix }: Draft, { message, ...rest }: MessageExtras): SendParams {
    const id = crypto.randomUUID();
    const messageId = prefix === undefined ? id : `${prefix}-${id}`;
    const content = { messageId, role: "ROLE_USER", parts: [{ text }] };
    return { message: { ...content, ...message }, ...rest };
  }

  async #attempt(scenario: Scenario, draft: Draft, more: MessageExtras): Promise<Unchecked> {
    const { fits, configuration } = recipes[scenario];
    const params = this.#params(draft, {
      ...more,
      configuration: { ...configuration, ...more.configuration },
    });
    const result = await this.#resultOf("SendMessage", params, scenario !== "working");
    this.#trackTask(result);
    if (!fits(result)) return undefined;
    if (scenario !== "working") return result;
    // A fast agent may have ended the task in the meantime.
    const task = await this.#resultOf("GetTask", { id: textAt(result, "task", "id") });
    return fits({ task }) ? { task } : undefined;
  }

  /** Remembers the task of a send until it is known to have ended. */
  #trackTask(result: Unchecked): void {
    const id = textAt(result, "task", "id");
    if (id !== "" && !/COMPLETED|FAILED|CANCELED|REJECTED/.test(state(result))) this.#open.add(id);
  }

  /**
   * The result of a call; undefined if the call failed.
   * @param isBlocking whether the agent finishes its work before it answers
   */
  async #resultOf(operation: OperationName, params: object, isBlocking = false): Promise<Unchecked> {
    try {
      const { result } = await this.#peer.call(operation, params);
      if (isBlocking) this.#timeouts = Number.NEGATIVE_INFINITY;
      return result;
    } catch (thrown) {
      if (isBlocking && thrown instanceof Unanswered) this.#timeouts += 1;
      if (thrown instanceof Deviation) return undefined;
      throw thrown;
    }
  }
}
