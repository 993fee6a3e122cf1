import type { AgentCard, Message, Part, StreamResponse, Task } from "../../../src/protocol/model.js";

/** What a value of the model is after it has been 0.3 and back. */
export interface Loss {
  /** As the table in docs/versions.md names it. */
  readonly name: string;
  readonly given: StreamResponse;
  readonly back: StreamResponse;
}

const message = (part: Part, more: Partial<Message> = {}): StreamResponse => ({
  message: { messageId: "m", role: "ROLE_USER", parts: [part], ...more },
});
const task = (more: Partial<Task>): StreamResponse => ({
  task: { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" }, ...more },
});
const update = (more: object): StreamResponse => ({
  artifactUpdate: {
    taskId: "t",
    contextId: "c",
    artifact: { artifactId: "a", parts: [{ text: "x" }] },
    ...more,
  },
});

/** Every value that does not come back as it was, with what comes back. */
export const losses: readonly Loss[] = [
  {
    name: "media type and file name of text",
    given: message({ text: "x", mediaType: "text/markdown", filename: "f" }),
    back: message({ text: "x" }),
  },
  {
    name: "media type and file name of data",
    given: message({ data: { a: 1 }, mediaType: "application/json", filename: "f" }),
    back: message({ data: { a: 1 } }),
  },
  {
    name: "data that looks wrapped",
    given: message({ data: { value: 1 }, metadata: { data_part_compat: true } }),
    back: message({ data: 1 }),
  },
  {
    name: "empty metadata of data that is not an object",
    given: message({ data: [1], metadata: {} }),
    back: message({ data: [1] }),
  },
  {
    name: "empty strings and lists",
    given: message({ text: "x" }, { extensions: [], referenceTaskIds: [], contextId: "" }),
    back: message({ text: "x" }),
  },
  {
    name: "empty history and artifacts",
    given: task({ history: [], artifacts: [] }),
    back: task({}),
  },
  {
    name: "a task without a context",
    given: { task: { id: "t", status: { state: "TASK_STATE_WORKING" } } },
    back: task({ contextId: "t" }),
  },
  {
    name: "append and lastChunk that are false",
    given: update({ append: false, lastChunk: false }),
    back: update({}),
  },
  {
    name: "the unspecified role",
    given: message({ text: "x" }, { role: "ROLE_UNSPECIFIED" }),
    back: message({ text: "x" }),
  },
];

/** Members of a card that 0.3 has no place for. */
export const cardLosses: readonly [name: string, lost: (card: AgentCard) => unknown][] = [
  [
    "interfaces of other versions",
    ({ supportedInterfaces }) => !supportedInterfaces[0]?.protocolVersion.startsWith("0.3"),
  ],
  ["tenant of an interface", ({ supportedInterfaces }) => supportedInterfaces.some(({ tenant }) => tenant)],
  [
    "device code flow",
    ({ securitySchemes }) => securitySchemes?.device?.oauth2SecurityScheme?.flows.deviceCode,
  ],
  [
    "PKCE flag",
    ({ securitySchemes }) =>
      securitySchemes?.code?.oauth2SecurityScheme?.flows.authorizationCode?.pkceRequired,
  ],
  ["signatures", ({ signatures }) => signatures],
];
