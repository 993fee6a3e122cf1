import fc from "fast-check";
import type { Artifact, Message, Part, StreamResponse, Task, TaskStatus } from "../../src/protocol/model.js";

/** Values of the model that older versions can say, but for what is in their tables of losses. */

const text = fc.string({ minLength: 1, maxLength: 8 });
const json = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<any>;
const metadata = fc.dictionary(text, json, { minKeys: 1, maxKeys: 2 });
const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const list = <T>(value: fc.Arbitrary<T>) => fc.array(value, { minLength: 1, maxLength: 2 });

/** Members that are undefined are absent, as are those that are not listed: older versions cannot say what is new. */
function shape<T>(members: { [name in keyof T]?: fc.Arbitrary<T[name] | undefined> }): fc.Arbitrary<T> {
  return fc
    .record(members as Record<string, fc.Arbitrary<unknown>>)
    .map((value) => JSON.parse(JSON.stringify(value)) as T);
}

const bytes = fc.uint8Array({ maxLength: 6 }).map((value) => Buffer.from(value).toString("base64"));
const file = { filename: some(text), mediaType: some(text), metadata: some(metadata) };

const part: fc.Arbitrary<Part> = fc.oneof(
  shape<any>({ text: fc.string({ maxLength: 8 }), metadata: some(metadata) }),
  shape<any>({ raw: bytes, ...file }),
  shape<any>({ url: text, ...file }),
  shape<any>({ data: json, metadata: some(metadata) }),
);

export const message: fc.Arbitrary<Message> = shape<Message>({
  messageId: text,
  role: fc.constantFrom("ROLE_USER", "ROLE_AGENT"),
  parts: list(part),
  contextId: some(text),
  taskId: some(text),
  metadata: some(metadata),
  extensions: some(list(text)),
  referenceTaskIds: some(list(text)),
});

const artifact: fc.Arbitrary<Artifact> = shape<Artifact>({
  artifactId: text,
  name: some(text),
  description: some(text),
  parts: list(part),
  metadata: some(metadata),
  extensions: some(list(text)),
});

const status: fc.Arbitrary<TaskStatus> = shape<TaskStatus>({
  state: fc.constantFrom(
    "TASK_STATE_SUBMITTED",
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
    "TASK_STATE_FAILED",
    "TASK_STATE_CANCELED",
    "TASK_STATE_INPUT_REQUIRED",
    "TASK_STATE_REJECTED",
    "TASK_STATE_AUTH_REQUIRED",
  ),
  message: some(message),
  timestamp: some(fc.constant("2026-01-31T12:00:00.000Z")),
});

export const task: fc.Arbitrary<Task> = shape<Task>({
  id: text,
  contextId: text,
  status,
  // No two of a task have the same id.
  artifacts: some(
    fc.uniqueArray(artifact, { minLength: 1, maxLength: 2, selector: ({ artifactId }) => artifactId }),
  ),
  history: some(list(message)),
  metadata: some(metadata),
});

export const event: fc.Arbitrary<StreamResponse> = fc.oneof(
  shape<any>({ task }),
  shape<any>({ message }),
  shape<any>({
    statusUpdate: shape<any>({ taskId: text, contextId: text, status, metadata: some(metadata) }),
  }),
  shape<any>({
    artifactUpdate: shape<any>({
      taskId: text,
      contextId: text,
      artifact,
      append: fc.constantFrom(true, undefined),
      lastChunk: fc.constantFrom(true, undefined),
      metadata: some(metadata),
    }),
  }),
);

export const pushConfig: fc.Arbitrary<any> = shape<any>({
  taskId: text,
  id: text,
  url: text,
  token: some(text),
  authentication: some(shape<any>({ scheme: text, credentials: some(text) })),
});
