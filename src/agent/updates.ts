import { omitUndefined, type WithoutUndefined } from "../json/omit.js";
import { withDefaults } from "../json/with-defaults.js";
import { argumentError, assertObject } from "../protocol/argument.js";
import type { Metadata, Part, TaskState } from "../protocol/model.js";
import { dataPart, filePart, type PartOptions, textPart, urlPart } from "../protocol/parts.js";

/** A message as an executor writes it: the engine fills in role and ids. */
export interface MessageDraft {
  /** Content of the message. */
  readonly parts: readonly Part[];
  /** Id of the message; a random UUID by default. */
  readonly messageId?: string;
  /** Free data about the message, by key. */
  readonly metadata?: Metadata;
  /** URIs of the extensions that the message uses. */
  readonly extensions?: readonly string[];
  /** Ids of earlier tasks that the message refers to. */
  readonly referenceTaskIds?: readonly string[];
}

/** Reports the state of the task. A `StreamResponse` with a status update has the same shape. */
export interface StatusUpdate {
  readonly statusUpdate: {
    readonly status: { readonly state: TaskState; readonly message?: MessageDraft };
    /** Merged into the metadata of the task by key, and sent with the event. */
    readonly metadata?: Metadata;
  };
}

/** Options of the status builders besides the content. */
export interface StatusOptions {
  /**
   * Merged into the metadata of the task: an existing key gets the new value, other keys stay. Subscribers and webhooks
   * receive it with the event.
   */
  readonly taskMetadata?: Metadata | undefined;
}

/** Delivers an artifact or a chunk of one. A `StreamResponse` with an artifact update has the same shape. */
export interface ArtifactUpdate {
  readonly artifactUpdate: {
    readonly artifact: {
      readonly artifactId: string;
      readonly parts: readonly Part[];
      readonly name?: string;
      readonly description?: string;
      readonly metadata?: Metadata;
      readonly extensions?: readonly string[];
    };
    readonly append?: boolean;
    readonly lastChunk?: boolean;
    readonly metadata?: Metadata;
  };
}

/** A plain message as the whole answer (§3.1.1), instead of a task. If the server has created a task already, the message completes it. */
export interface Reply {
  readonly message: MessageDraft;
}

/** What an executor may yield. */
export type Update = StatusUpdate | ArtifactUpdate | Reply;

/** Content that the status builders accept: text, parts, or a message with its own metadata. */
export type Content = string | readonly Part[] | MessageDraft;

/**
 * Answers with a plain message instead of a task. It must be the only update that the executor yields or returns. A message that continues
 * a task is not answered with it: yield {@link completed} there.
 *
 * @example
 * ```ts
 * yield reply("Hello");
 * ```
 * @throws TypeError for other content, such as a single part outside of a list
 */
export function reply(content: Content): Reply {
  return { message: draft(content, "reply") };
}

/**
 * Sets the task to SUBMITTED: accepted, not yet started. Only possible before any other state.
 *
 * @example
 * ```ts
 * yield submitted("Queued");
 * ```
 * @throws TypeError for other content, such as a single part outside of a list
 */
export function submitted(content?: Content, options?: StatusOptions): StatusUpdate {
  return status("submitted", content, options);
}

/**
 * Sets the task to WORKING, or reports progress; the content tells the caller what is being done.
 *
 * @example
 * ```ts
 * yield working("Looking at Lisbon");
 * ```
 * @throws TypeError for other content, such as a single part outside of a list
 */
export function working(content?: Content, options?: StatusOptions): StatusUpdate {
  return status("working", content, options);
}

/**
 * Sets the task to INPUT_REQUIRED: the caller must answer. The answer runs the executor again, unless this run receives it by `nextMessage`
 * (§3.4.3).
 *
 * @example
 * ```ts
 * yield inputRequired("Which city?");
 * ```
 * @throws TypeError for other content, such as a single part outside of a list
 */
export function inputRequired(question: Content, options?: StatusOptions): StatusUpdate {
  return status("inputRequired", question, options);
}

/**
 * Sets the task to AUTH_REQUIRED: the caller must grant access, out of band (§7.6.1). The content says to what.
 *
 * @example
 * ```ts
 * yield authRequired("Sign in at https://example.com/connect");
 * ```
 * @throws TypeError for other content, such as a single part outside of a list
 */
export function authRequired(need: Content, options?: StatusOptions): StatusUpdate {
  return status("authRequired", need, options);
}

/**
 * Sets the task to COMPLETED.
 *
 * @example
 * ```ts
 * yield completed("Booked");
 * ```
 * @throws TypeError for other content, such as a single part outside of a list
 */
export function completed(content?: Content, options?: StatusOptions): StatusUpdate {
  return status("completed", content, options);
}

/**
 * Sets the task to FAILED. The content is shown to the caller and should say what can be done.
 *
 * @example
 * ```ts
 * yield failed("The archive is offline. Try again in an hour.");
 * ```
 * @throws TypeError for other content, such as a single part outside of a list
 */
export function failed(content?: Content, options?: StatusOptions): StatusUpdate {
  return status("failed", content, options);
}

/**
 * Sets the task to REJECTED: the agent does not do this work.
 *
 * @example
 * ```ts
 * yield rejected("I only plan weekends.");
 * ```
 * @throws TypeError for other content, such as a single part outside of a list
 */
export function rejected(content?: Content, options?: StatusOptions): StatusUpdate {
  return status("rejected", content, options);
}

/** Members of an artifact besides its parts. */
export interface ArtifactOptions {
  /** Id of the artifact, unique in its task; a random UUID by default. An existing id replaces that artifact. */
  readonly artifactId?: string | undefined;
  /** Name of the artifact, for people. */
  readonly name?: string | undefined;
  /** What the artifact contains, for people. */
  readonly description?: string | undefined;
  /** Free data about the artifact, by key. */
  readonly metadata?: Metadata | undefined;
  /** URIs of the extensions that the artifact uses. */
  readonly extensions?: readonly string[] | undefined;
}

/** Options of one chunk. */
export interface ChunkOptions extends PartOptions {
  /** Marks the last chunk of the artifact. The state of the task does not change (§4.2.2). */
  readonly last?: boolean | undefined;
}

/**
 * Begins an artifact. Each call of a method makes one chunk to yield: the first creates the artifact (or replaces the
 * one with the same id), later ones append to it. Only the first chunk carries the options: name, description, metadata and extensions.
 *
 * @example
 * ```ts
 * const answer = artifact({ name: "answer" });
 * for await (const token of model(text)) yield answer.text(token);
 * ```
 * @throws TypeError for options that are not an object, such as the name alone
 */
export function artifact(options: ArtifactOptions = {}): ArtifactWriter {
  return new ArtifactWriter(options);
}

/**
 * Makes the chunks of one artifact. Create it with {@link artifact}.
 * @example `const answer = artifact({ name: "answer" }); yield answer.text("Hello"); yield answer.text("!", { last: true });`
 */
export class ArtifactWriter {
  /** Id of the artifact. */
  readonly artifactId: string;
  readonly #options: WithoutUndefined<ArtifactOptions>;
  #begun = false;

  /** @throws TypeError for options that are not an object */
  constructor(options: ArtifactOptions) {
    assertObject(options, 'artifact needs options, such as { name: "answer" }, or none');
    this.artifactId = options.artifactId ?? crypto.randomUUID();
    this.#options = omitUndefined(options);
  }

  /**
   * A chunk of text. Readers concatenate chunks without a separator.
   * @throws TypeError for what is not a string
   */
  text(text: string, options: ChunkOptions = {}): ArtifactUpdate {
    const { last, ...part } = options;
    return this.parts([textPart(text, part)], last);
  }

  /** A chunk with a JSON value. */
  data(value: unknown, options: ChunkOptions = {}): ArtifactUpdate {
    const { last, ...part } = options;
    return this.parts([dataPart(value, part)], last);
  }

  /**
   * A chunk with the bytes of a file.
   * @throws TypeError for what is not a Uint8Array
   */
  file(bytes: Uint8Array, options: ChunkOptions = {}): ArtifactUpdate {
    const { last, ...part } = options;
    return this.parts([filePart(bytes, part)], last);
  }

  /**
   * A chunk with the URL of a file.
   * @throws TypeError for what is not a string
   */
  url(url: string, options: ChunkOptions = {}): ArtifactUpdate {
    const { last, ...part } = options;
    return this.parts([urlPart(url, part)], last);
  }

  /** A chunk of existing parts. */
  parts(parts: readonly Part[], last = false): ArtifactUpdate {
    const begun = this.#begun;
    this.#begun = true;
    const { artifactId } = this;
    const end = last && { lastChunk: true };
    return begun
      ? { artifactUpdate: { artifact: { artifactId, parts }, append: true, ...end } }
      : { artifactUpdate: { artifact: withDefaults({ artifactId, parts }, this.#options), ...end } };
  }
}

/** The state that each status builder sets. */
const states = {
  submitted: "TASK_STATE_SUBMITTED",
  working: "TASK_STATE_WORKING",
  inputRequired: "TASK_STATE_INPUT_REQUIRED",
  authRequired: "TASK_STATE_AUTH_REQUIRED",
  completed: "TASK_STATE_COMPLETED",
  failed: "TASK_STATE_FAILED",
  rejected: "TASK_STATE_REJECTED",
} as const satisfies Readonly<Record<string, TaskState>>;

function status(
  builder: keyof typeof states,
  content: Content | undefined,
  options?: StatusOptions,
): StatusUpdate {
  const state = states[builder];
  const status = content === undefined ? { state } : { state, message: draft(content, builder) };
  const metadata = options?.taskMetadata;
  return { statusUpdate: metadata === undefined ? { status } : { status, metadata } };
}

/** @throws TypeError for other content, such as a single part outside of a list */
function draft(content: Content, builder: string): MessageDraft {
  if (typeof content === "string") return { parts: [textPart(content)] };
  if (Array.isArray(content)) return { parts: content };
  if (typeof content === "object" && content !== null && "parts" in content) return content;
  throw argumentError(`${builder} needs a string, a list of parts, or a message with \`parts\``, content);
}
