import type { Artifact, Message, Part, Task } from "../../../src/protocol/model.js";

/** What a task of the model is after it has been told in 0.1 and read again. */
export interface Loss {
  /** As the table in docs/versions.md names it. */
  readonly name: string;
  readonly given: Partial<Task>;
  readonly back: Partial<Task>;
}

const named = (more: Partial<Message> = {}): Message => ({
  messageId: "t/history-0",
  taskId: "t",
  contextId: "c",
  role: "ROLE_USER",
  parts: [{ text: "x" }],
  ...more,
});
const made = (part: Part, more: Partial<Artifact> = {}): Partial<Task> => ({
  artifacts: [{ artifactId: "artifact-0", parts: [part], ...more }],
});

/** Every value that does not come back as it was, with what comes back. */
export const losses: readonly Loss[] = [
  {
    name: "ids of messages",
    given: { history: [named({ messageId: "m" })] },
    back: { history: [named()] },
  },
  {
    name: "extensions and references of messages",
    given: { history: [named({ extensions: ["https://e"], referenceTaskIds: ["r"] })] },
    back: { history: [named()] },
  },
  {
    name: "task and context of messages",
    given: { history: [named({ taskId: "other", contextId: "" })] },
    back: { history: [named()] },
  },
  { name: "ids of artifacts", given: made({ text: "x" }, { artifactId: "a" }), back: made({ text: "x" }) },
  {
    name: "extensions of artifacts",
    given: made({ text: "x" }, { extensions: ["https://e"] }),
    back: made({ text: "x" }),
  },
  {
    name: "media type and file name of text and data",
    given: made({ text: "x", mediaType: "text/markdown", filename: "f" }),
    back: made({ text: "x" }),
  },
  {
    name: "data that looks wrapped",
    given: made({ data: { value: 1 }, metadata: { data_part_compat: true } }),
    back: made({ data: 1 }),
  },
  {
    name: "empty lists and strings",
    given: { artifacts: [], history: [], contextId: "" },
    back: { contextId: "t" },
  },
  {
    name: "the unspecified role",
    given: { history: [named({ role: "ROLE_UNSPECIFIED" })] },
    back: { history: [named({ role: "ROLE_AGENT" })] },
  },
];

/** A task as it comes back: the table above, applied everywhere. Values that look wrapped do not occur in it. */
export function saidInDraft(task: Task): Task {
  const { id: taskId, contextId } = task;
  const message = ({ role, parts, metadata }: Message, what: string): Message =>
    defined({ messageId: `${taskId}/${what}`, taskId, contextId, role, parts: parts.map(said), metadata });
  const { message: text, ...status } = task.status;
  return defined({
    ...task,
    status: defined({ ...status, message: text && message(text, `status-${status.timestamp ?? ""}`) }),
    artifacts: task.artifacts?.map(({ extensions: _, ...artifact }, at) => ({
      ...artifact,
      artifactId: `artifact-${at}`,
      parts: artifact.parts.map(said),
    })),
    history: task.history?.map((entry, at) => message(entry, `history-${at}`)),
  }) as Task;
}

function said(part: Part): Part {
  const { filename: _, mediaType: __, ...rest } = part;
  return part.text !== undefined || part.data !== undefined ? (rest as Part) : part;
}

function defined<T extends object>(members: { [name in keyof T]?: T[name] | undefined }): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}
