import type {
  Artifact,
  Part,
  Received,
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatus,
} from "../../protocol/model.js";
import { plainText } from "../text/plain-text.js";
import { describeFile } from "../text/write-task.js";

const DIM = "\u001b[2m";
const RED = "\u001b[31m";
const YELLOW = "\u001b[33m";
const PLAIN = "\u001b[0m";

/** Names and colours of states. For other states only the message is shown. */
const marks: Readonly<Record<string, { readonly word: string; readonly colour: string }>> = {
  TASK_STATE_WORKING: { word: "working", colour: DIM },
  TASK_STATE_SUBMITTED: { word: "submitted", colour: DIM },
  TASK_STATE_FAILED: { word: "failed", colour: RED },
  TASK_STATE_REJECTED: { word: "rejected", colour: RED },
  TASK_STATE_CANCELED: { word: "canceled", colour: YELLOW },
  TASK_STATE_AUTH_REQUIRED: { word: "authorization needed", colour: YELLOW },
};

/** Writes the output of an agent as it arrives. Chunks of one text continue its line; other content starts a new line. */
export class Transcript {
  readonly #write: (text: string) => void;
  readonly #hasColours: boolean;
  /** The text of each artifact that has been written. */
  readonly #written = new Map<string, string>();
  /** Artifact whose text the current line belongs to. */
  #current: string | undefined;
  #isLineOpen = false;
  #lastStatus: string | undefined;

  constructor(write: (text: string) => void, hasColours: boolean) {
    this.#write = write;
    this.#hasColours = hasColours;
  }

  /** Writes the new content of an event. */
  event({ task, message, statusUpdate, artifactUpdate }: Received<StreamResponse>): void {
    if (message !== undefined) this.#parts(message.parts);
    if (task !== undefined) this.#snapshot(task);
    if (statusUpdate !== undefined) this.#status(statusUpdate.status);
    if (artifactUpdate !== undefined) this.#chunk(artifactUpdate);
  }

  /** Ends an open line. */
  endLine(): void {
    if (this.#isLineOpen) this.#write("\n");
    this.#isLineOpen = false;
    this.#current = undefined;
  }

  #snapshot({ id, artifacts = [], status }: Received<Task>): void {
    for (const artifact of artifacts) this.#whole(id, artifact);
    this.#status(status);
  }

  #chunk({ taskId, artifact, append }: TaskArtifactUpdateEvent): void {
    if (append === true) {
      const key = `${taskId} ${artifact.artifactId}`;
      this.#written.set(key, (this.#written.get(key) ?? "") + textOf(artifact));
      if (this.#current !== key) this.endLine();
      this.#parts(artifact.parts, key);
    } else this.#whole(taskId, artifact);
  }

  /** Writes what has not been written of an artifact yet; all of it, if its text does not continue what was written. */
  #whole(taskId: string, artifact: Artifact): void {
    const key = `${taskId} ${artifact.artifactId}`;
    const before = this.#written.get(key);
    const text = textOf(artifact);
    this.#written.set(key, text);
    if (before === text && before !== "") return;
    if (this.#current !== key) this.endLine();
    if (before && text.startsWith(before)) this.#text(text.slice(before.length), key);
    else {
      if (before !== undefined) this.endLine();
      this.#parts(artifact.parts, key);
    }
  }

  #status({ state, message }: Received<TaskStatus>): void {
    const key = `${state} ${message?.messageId ?? ""}`;
    if (key === this.#lastStatus) return;
    this.#lastStatus = key;
    const mark = marks[String(state)];
    const words = message?.parts.map(({ text }) => text ?? "").join("") ?? "";
    const others = message?.parts.filter(({ text }) => text === undefined) ?? [];
    if (mark === undefined) {
      if (words !== "") {
        this.endLine();
        this.#text(words);
      }
    } else if (words !== "" || mark.colour !== DIM)
      this.#line(`${mark.word}${words === "" ? "" : `: ${words}`}`, mark.colour);
    this.#parts(others);
  }

  #parts(parts: readonly Part[], key?: string): void {
    for (const part of parts) {
      if (part.text !== undefined) this.#text(part.text, key);
      else if (part.data !== undefined) this.#line(JSON.stringify(part.data, undefined, 2));
      else this.#line(`file: ${describeFile(part)}`, DIM);
    }
  }

  #text(text: string, key?: string): void {
    const plain = plainText(text);
    if (plain === "") return;
    this.#write(plain);
    this.#current = key;
    this.#isLineOpen = !plain.endsWith("\n");
  }

  #line(text: string, colour?: string): void {
    this.endLine();
    const plain = plainText(text);
    this.#write(`${this.#hasColours && colour ? `${colour}${plain}${PLAIN}` : plain}\n`);
  }
}

function textOf({ parts }: Artifact): string {
  return parts.map(({ text }) => text ?? "").join("");
}
