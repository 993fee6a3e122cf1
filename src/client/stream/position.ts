import { isJsonObject } from "../../json/json-text.js";
import { sameJson } from "../../json/same-json.js";
import { isInterrupted, isTerminal } from "../../protocol/lifecycle.js";
import type { Logger } from "../../protocol/logger.js";
import type {
  Artifact,
  Message,
  Open,
  Received,
  StreamResponse,
  Task,
  TaskState,
  TaskStatus,
} from "../../protocol/model.js";
import { TaskFold } from "../../task-log/fold.js";
import { generationOf } from "../../task-log/log.js";
import { ClientError, invalidResponse } from "../client-error.js";

/** A reader's position in a stream: the task folded so far, and the generation if the agent numbers events. */
export class Position {
  readonly #fold = new TaskFold();
  readonly #logger: Logger;
  #message: Received<Message> | undefined;
  #generation: number | undefined;
  #connected = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** The agent's plain message; undefined until there is one. */
  get message(): Received<Message> | undefined {
    return this.#message;
  }

  /** Id of the task; `""` before there is a task. */
  get taskId(): string {
    return this.#fold.id;
  }

  /** Context of the task; undefined before there is a task, and if the task names none. */
  get contextId(): string | undefined {
    return this.#fold.contextId;
  }

  /** The task as folded so far; undefined before there is a task. */
  get task(): Received<Task> | undefined {
    return this.#fold.id === "" ? undefined : this.#fold.snapshot().task;
  }

  /** Generation of the last event; undefined if generations are absent or not consecutive (§9.4.2). */
  get generation(): number | undefined {
    return this.#generation;
  }

  /** State of the task; undefined before there is a task. */
  get state(): Open<TaskState> | undefined {
    return this.#fold.id === "" ? undefined : this.#fold.status.state;
  }

  /** Whether the task has ended, or the agent has answered with a plain message. */
  get ended(): boolean {
    return this.#message !== undefined || (this.state !== undefined && isTerminal(this.state));
  }

  /** Whether a stream may end here without loss (§3.5.2). */
  get settled(): boolean {
    return this.ended || (this.state !== undefined && isInterrupted(this.state));
  }

  /**
   * Prepares for the events of a new connection, which may be numbered differently.
   * @param snapshot its first event, if that matches the folded task
   */
  reconnect(snapshot?: Received<StreamResponse>): void {
    this.#connected = false;
    if (snapshot !== undefined) this.#count(generationOf(snapshot));
  }

  /** Counts an event whose content is already part of the folded task. */
  skip(event: Received<StreamResponse>): void {
    this.#count(generationOf(event));
  }

  /**
   * Folds an event.
   * @returns whether it had the members that a fold needs
   * @throws ClientError INVALID_RESPONSE for a stream that does not begin with a task or a message (§3.1.2)
   */
  fold(event: Received<StreamResponse>): boolean {
    this.#count(generationOf(event));
    if (event.message !== undefined) {
      this.#message = event.message;
      return true;
    }
    if (event.task === undefined && this.#fold.id === "") {
      const received = event.statusUpdate === undefined ? "an artifact update" : "a status update";
      throw invalidResponse("The stream does not begin with a task or a message", {
        expected: "a task or a message",
        received,
      });
    }
    let folded: object = event;
    if (!isWhole(event)) {
      const taskId = event.task?.id || this.taskId;
      this.#logger.warn({ taskId }, "An incomplete event was not folded into its task");
      if (event.task === undefined || this.#fold.id !== "") return false;
      // Updates of the task can still be folded.
      const { id, contextId } = event.task;
      folded = { task: { id, contextId, status: { state: "TASK_STATE_UNSPECIFIED" } } };
    }
    const warning = this.#fold.apply({ event: folded as StreamResponse });
    if (warning !== undefined) {
      this.#logger.warn({ taskId: this.taskId, warning }, "A chunk belongs to an unknown artifact");
    }
    return folded === event;
  }

  /**
   * Whether a snapshot has the id, status and artifacts of the folded task. Other members are not compared: the agent may shorten the
   * history, for example.
   */
  matches(task: Received<Task>): boolean {
    const folded = this.task;
    return (
      folded !== undefined &&
      task.id === folded.id &&
      sameJson(task.status, folded.status) &&
      sameJson(task.artifacts ?? [], folded.artifacts ?? [])
    );
  }

  /**
   * Whether the folded task already has the content of an update. Of a chunk that is appended, only the parts are compared, with the last
   * ones of the artifact.
   */
  has(event: Received<StreamResponse>): boolean {
    const { statusUpdate, artifactUpdate } = event;
    const { status, metadata, artifacts }: Partial<Received<Task>> = this.task ?? {};
    if (statusUpdate !== undefined) {
      const merged = { ...metadata, ...statusUpdate.metadata };
      return sameJson(statusUpdate.status, status) && sameJson(merged, { ...metadata });
    }
    if (artifactUpdate === undefined || !isWhole(event)) return false;
    const { artifact, append } = artifactUpdate;
    const known = artifacts?.find(({ artifactId }) => artifactId === artifact.artifactId);
    return append
      ? sameJson(known?.parts?.slice(-artifact.parts.length), artifact.parts)
      : sameJson(known, artifact);
  }

  /**
   * Whether an event repeats the last one: it has the same generation, or none in a numbered stream, and {@link matches} or {@link has}
   * finds its content in the folded task.
   */
  repeats(event: Received<StreamResponse>): boolean {
    const generation = this.#generation;
    if (generation === undefined || (generationOf(event) ?? generation) !== generation) return false;
    return event.task === undefined ? this.has(event) : this.matches(event.task);
  }

  #count(generation: number | undefined): void {
    const follows =
      !this.#connected || (this.#generation !== undefined && generation === this.#generation + 1);
    this.#generation = follows ? generation : undefined;
    this.#connected = true;
  }
}

/** Whether a task or an update has the members that a fold needs. Only a lenient client receives others. */
function isWhole({ task, statusUpdate, artifactUpdate }: Received<StreamResponse>): boolean {
  const status: Partial<Received<TaskStatus>> | undefined = task?.status ?? statusUpdate?.status;
  const artifact: Partial<Artifact> | undefined = artifactUpdate?.artifact;
  const { artifacts = [], history = [] }: Partial<Received<Task>> = task ?? {};
  if (!Array.isArray(history) || !Array.isArray(artifacts) || !artifacts.every(isFoldable)) return false;
  return ["string", "number"].includes(typeof status?.state) || Array.isArray(artifact?.parts);
}

/** Whether an artifact of a snapshot has parts that a fold can extend: a list, or none. */
function isFoldable(artifact: unknown): boolean {
  return isJsonObject(artifact) && (artifact.parts === undefined || Array.isArray(artifact.parts));
}

/** The error for a gap, if the caller has set `onGap: "throw"`. */
export function gapError(taskId: string): ClientError {
  return new ClientError(
    "STREAM_GAP",
    `The stream of task ${taskId} missed events: read the task with GetTask`,
  );
}
