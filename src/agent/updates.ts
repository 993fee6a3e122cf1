import { withDefaults } from "../json/with-defaults.js";
import type { Part, TaskState } from "../protocol/model.js";
import { dataPart, filePart, type PartOptions, textPart, urlPart } from "../protocol/parts.js";

/** Free data by key, as the protocol's `metadata` members carry it. */
export type Metadata = { [key: string]: unknown };

/** A message as an executor writes it: role, ids and context are filled in by the engine. */
export interface MessageDraft {
  readonly parts: readonly Part[];
  readonly messageId?: string;
  readonly metadata?: Metadata;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
}

/** Says where the task stands. A `StreamResponse` with a status update fits as well. */
export interface StatusUpdate {
  readonly statusUpdate: {
    readonly status: { readonly state: TaskState; readonly message?: MessageDraft };
    /** Added to the metadata of the task, by key, and sent with the event. */
    readonly metadata?: Metadata;
  };
}

/** What a status update carries beside its content. */
export interface StatusOptions {
  /**
   * Added to the metadata of the task: a key that is there already gets the new value, other keys stay. Subscribers and webhooks
   * get it as the metadata of the event, readers of the task as metadata of the task.
   */
  readonly taskMetadata?: Metadata;
}

/** Hands over an artifact or a chunk of one. A `StreamResponse` with an artifact update fits as well. */
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

/** A plain message as the whole answer: no task is made (§3.1.1). */
export interface Reply {
  readonly message: MessageDraft;
}

/** What an executor may yield. */
export type Update = StatusUpdate | ArtifactUpdate | Reply;

/** Text, parts, or a message with its own metadata: what the status builders take. */
export type Content = string | readonly Part[] | MessageDraft;

/** An answer that is a plain message. Yield or return it as the only thing the executor does. */
export function reply(content: Content): Reply {
  return { message: draft(content) };
}

/** Work is accepted but has not begun. */
export function submitted(content?: Content, options?: StatusOptions): StatusUpdate {
  return status("TASK_STATE_SUBMITTED", content, options);
}

/** Work is under way; the content tells the caller what is being done. */
export function working(content?: Content, options?: StatusOptions): StatusUpdate {
  return status("TASK_STATE_WORKING", content, options);
}

/** The caller must answer before work can go on. The next message runs the executor again (§3.4.3). */
export function inputRequired(question: Content, options?: StatusOptions): StatusUpdate {
  return status("TASK_STATE_INPUT_REQUIRED", question, options);
}

/** The caller must grant something, out of band, before work can go on (§7.6.1). The content says what. */
export function authRequired(need: Content, options?: StatusOptions): StatusUpdate {
  return status("TASK_STATE_AUTH_REQUIRED", need, options);
}

/** The work is done. */
export function completed(content?: Content, options?: StatusOptions): StatusUpdate {
  return status("TASK_STATE_COMPLETED", content, options);
}

/** The work did not succeed. The content is for the caller: it should say what can be done about it. */
export function failed(content?: Content, options?: StatusOptions): StatusUpdate {
  return status("TASK_STATE_FAILED", content, options);
}

/** The agent will not do this work. */
export function rejected(content?: Content, options?: StatusOptions): StatusUpdate {
  return status("TASK_STATE_REJECTED", content, options);
}

/** What an artifact is called, apart from its parts. */
export interface ArtifactOptions {
  readonly artifactId?: string;
  readonly name?: string;
  readonly description?: string;
  readonly metadata?: Metadata;
  readonly extensions?: readonly string[];
}

/** How one chunk is written. */
export interface ChunkOptions extends PartOptions {
  /** This chunk ends the artifact; it says nothing about the task (§4.2.2). */
  readonly last?: boolean;
}

/**
 * Begins an artifact. Every call of a method makes one chunk to yield: the first creates the artifact (or replaces the
 * one with the same id), later ones append to it. Name, description and metadata travel with the first chunk only.
 *
 * @example
 * const answer = artifact({ name: "answer" });
 * for await (const token of model(text)) yield answer.text(token);
 */
export function artifact(options: ArtifactOptions = {}): ArtifactWriter {
  return new ArtifactWriter(options);
}

/** Makes the chunks of one artifact. Made by {@link artifact}. */
export class ArtifactWriter {
  readonly artifactId: string;
  readonly #options: ArtifactOptions;
  #begun = false;

  constructor(options: ArtifactOptions) {
    this.artifactId = options.artifactId ?? crypto.randomUUID();
    this.#options = { ...options };
  }

  /** A chunk of text. Readers join the chunks as they stand. */
  text(text: string, options: ChunkOptions = {}): ArtifactUpdate {
    const { last, ...part } = options;
    return this.parts([textPart(text, part)], last);
  }

  /** A chunk that is a JSON value. */
  data(value: unknown, options: ChunkOptions = {}): ArtifactUpdate {
    const { last, ...part } = options;
    return this.parts([dataPart(value, part)], last);
  }

  /** A chunk with the bytes of a file. */
  file(bytes: Uint8Array, options: ChunkOptions = {}): ArtifactUpdate {
    const { last, ...part } = options;
    return this.parts([filePart(bytes, part)], last);
  }

  /** A chunk that says where a file is. */
  url(url: string, options: ChunkOptions = {}): ArtifactUpdate {
    const { last, ...part } = options;
    return this.parts([urlPart(url, part)], last);
  }

  /** A chunk of ready-made parts. */
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

function status(state: TaskState, content: Content | undefined, options?: StatusOptions): StatusUpdate {
  const status = content === undefined ? { state } : { state, message: draft(content) };
  const metadata = options?.taskMetadata;
  return { statusUpdate: metadata === undefined ? { status } : { status, metadata } };
}

function draft(content: Content): MessageDraft {
  if (typeof content === "string") return { parts: [textPart(content)] };
  return "parts" in content ? content : { parts: content };
}
