import type { GenerationMember } from "../protocol/generations.js";
import type { Artifact, Message, Task, TaskArtifactUpdateEvent, TaskStatus } from "../protocol/model.js";
import { ArtifactDraft, furtherMembers, GrowingList, mergeMetadata } from "./artifact-draft.js";
import type { LogEntry, TaskSnapshot } from "./log.js";

/** A warning about an entry: it appended to an artifact that did not exist and thereby created it (§4.2.2). */
export type FoldWarning = "append-to-unknown-artifact";

/** Number of artifacts at which they are found by a map instead of a scan. */
const MIN_INDEXED = 16;

const known: ReadonlySet<string> = new Set<keyof (Task & GenerationMember)>([
  "id",
  "contextId",
  "status",
  "artifacts",
  "history",
  "metadata",
  "generation",
]);

/**
 * The reducer of the log: a task is the fold of its log, on the server and on the client. Lists and metadata are changed in place; one that
 * an entry or a snapshot contains is copied before its first change. A snapshot shares the lists and artifacts that have not changed with
 * the snapshot before it.
 *
 * Entries are never modified. Snapshots never change: the objects that the fold creates (task, status, lists, merged artifacts) are
 * frozen.
 */
export class TaskFold {
  #id = "";
  #contextId: string | undefined;
  #metadata: Task["metadata"];
  /** Whether the metadata is an object of this fold, which it may modify. */
  #ownsMetadata = false;
  #further: Partial<Task> | undefined;
  /** The generation that the last event carries, in versions whose events do; it is that of the task. */
  #carried: GenerationMember["generation"];
  #status: TaskStatus | undefined;
  #history = new GrowingList<Message>();
  #artifacts = new GrowingList<Artifact>();
  /** Artifacts to which chunks were appended since the last snapshot, by index. */
  #drafts: Map<number, ArtifactDraft> | undefined;
  /** Indexes of artifacts by id, once there are many. */
  #indexes: Map<string, number> | undefined;
  #generation = 0;
  #version: string | undefined;
  #snapshot: TaskSnapshot | undefined;

  /** @param from snapshot to start from instead of an empty log; the next entry is the one after its generation */
  constructor(from?: TaskSnapshot) {
    if (from === undefined) return;
    this.#begin(from.task);
    this.#generation = from.generation;
    this.#version = from.version;
  }

  /** Id of the task; `""` when there is no task yet. */
  get id(): string {
    return this.#id;
  }

  /** Context of the task; undefined when there is no task yet, or it names none. */
  get contextId(): string | undefined {
    return this.#contextId;
  }

  /** Generation of the last entry; 0 for an empty log. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Status as of the last entry.
   * @throws TypeError when there is no task yet
   */
  get status(): TaskStatus {
    if (this.#status === undefined) throw new TypeError("A log begins with its task");
    return this.#status;
  }

  /**
   * Applies the next entry. A status update moves the message of the status before it to the history. A `task` event replaces the whole
   * task, so that a stream that ends with a snapshot corrects the folded task (§11.7).
   *
   * @returns a warning about the entry, if there is one
   * @throws TypeError, without a change, for a `message` event, and when the log does not begin with a `task`
   */
  apply(entry: LogEntry & { readonly generation?: number }): FoldWarning | undefined {
    const { event, message, generation = this.#generation + 1 } = entry;
    if (event.message !== undefined) throw new TypeError("A plain message is not part of a task");
    if (event.task !== undefined) {
      this.#begin(event.task);
      this.#version = versionIn(entry);
    } else if (this.#status === undefined) throw new TypeError("A log begins with its task");
    const replaced = event.statusUpdate && this.status.message;
    if (replaced !== undefined) this.#history.push(replaced);
    if (message !== undefined) this.#history.push(this.#withIds(message));
    if (event.statusUpdate !== undefined) {
      const { status, metadata } = event.statusUpdate;
      this.#status = status;
      // A lenient client may pass a value that is not an object.
      if (isFilled(metadata)) this.#addMetadata(metadata);
    }
    const warning = event.artifactUpdate && this.#artifact(event.artifactUpdate);
    const update: object | undefined = event.statusUpdate ?? event.artifactUpdate;
    if (update !== undefined) this.#carried = (update as GenerationMember).generation;
    this.#generation = generation;
    this.#snapshot = undefined;
    return warning;
  }

  /**
   * The task as of the last entry; the same object until the next entry.
   * @throws TypeError when there is no task yet
   */
  snapshot(): TaskSnapshot {
    if (this.#snapshot === undefined) {
      const snapshot = { task: this.#task(), generation: this.#generation };
      const version = this.#version;
      this.#snapshot = Object.freeze(version === undefined ? snapshot : { ...snapshot, version });
    }
    return this.#snapshot;
  }

  #begin(task: Task & GenerationMember): void {
    this.#id = task.id;
    this.#contextId = task.contextId;
    this.#metadata = task.metadata;
    this.#ownsMetadata = false;
    this.#further = furtherMembers(task, known);
    this.#carried = task.generation;
    this.#status = task.status;
    this.#history = new GrowingList(task.history);
    this.#artifacts = new GrowingList(task.artifacts);
    this.#drafts = undefined;
    this.#indexes = undefined;
  }

  /** The caller's message with the ids of the task and context that it was assigned to (§3.4.3). */
  #withIds(message: Message): Message {
    const taskId = this.#id;
    const contextId = this.#contextId ?? message.contextId;
    if (message.taskId === taskId && message.contextId === contextId) return message;
    return Object.freeze({ ...message, taskId, ...(contextId !== undefined && { contextId }) });
  }

  /** The metadata of a status update (§4.2.1) describes the task and is merged into the task's metadata. */
  #addMetadata(metadata: NonNullable<Task["metadata"]>): void {
    this.#metadata = mergeMetadata(this.#metadata, this.#ownsMetadata, metadata);
    this.#ownsMetadata = true;
  }

  #artifact({ artifact, append }: TaskArtifactUpdateEvent): FoldWarning | undefined {
    const place = this.#indexOf(artifact.artifactId);
    if (place === -1) {
      this.#indexes?.set(artifact.artifactId, this.#artifacts.items.length);
      this.#artifacts.push(artifact);
      return append ? "append-to-unknown-artifact" : undefined;
    }
    if (append) this.#draft(place).append(artifact);
    else {
      this.#drafts?.delete(place);
      this.#artifacts.set(place, artifact);
    }
    return undefined;
  }

  #indexOf(artifactId: string): number {
    const { items } = this.#artifacts;
    if (items.length < MIN_INDEXED)
      return items.findLastIndex((artifact) => artifact.artifactId === artifactId);
    this.#indexes ??= new Map(items.map((artifact, place) => [artifact.artifactId, place]));
    return this.#indexes.get(artifactId) ?? -1;
  }

  #draft(place: number): ArtifactDraft {
    this.#drafts ??= new Map();
    let draft = this.#drafts.get(place);
    if (draft === undefined) {
      draft = new ArtifactDraft(this.#artifacts.items[place] as Artifact);
      this.#drafts.set(place, draft);
    }
    return draft;
  }

  #task(): Task {
    const status = frozen(this.status);
    for (const [place, draft] of this.#drafts ?? []) this.#artifacts.set(place, draft.close());
    this.#drafts = undefined;
    const artifacts = this.#artifacts.share();
    const history = this.#history.share();
    if (this.#ownsMetadata) Object.freeze(this.#metadata);
    this.#ownsMetadata = false;
    return Object.freeze({
      id: this.#id,
      ...(this.#contextId !== undefined && { contextId: this.#contextId }),
      status,
      ...(artifacts.length > 0 && { artifacts }),
      ...(history.length > 0 && { history }),
      ...(this.#metadata !== undefined && { metadata: this.#metadata }),
      ...(this.#carried !== undefined && { generation: this.#carried }),
      ...this.#further,
    });
  }
}

/**
 * Folds a log or a prefix of one.
 *
 * @param entries in order, beginning with the task, or with the entry after `from`
 * @throws TypeError for a `message` event and, without `from`, when the log is empty or does not begin with a task
 */
export function foldLog(entries: Iterable<LogEntry>, from?: TaskSnapshot): TaskSnapshot {
  const fold = new TaskFold(from);
  for (const entry of entries) fold.apply(entry);
  return fold.snapshot();
}

function isFilled(metadata: Task["metadata"] | null): metadata is NonNullable<Task["metadata"]> {
  return typeof metadata === "object" && metadata !== null && Object.keys(metadata).length > 0;
}

function versionIn({ request }: LogEntry): string | undefined {
  const version = request?.version;
  return typeof version === "string" && version !== "" ? version : undefined;
}

function frozen<T extends object>(value: T): T {
  return Object.isFrozen(value) ? value : Object.freeze({ ...value });
}
