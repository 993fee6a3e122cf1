import type {
  AgentCard,
  Message,
  SecurityScheme,
  StreamResponse,
  Task,
  TaskState,
} from "../../../src/protocol/model.js";

/** A card with an address of the draft. */
export const card: AgentCard = {
  name: "Rates",
  description: "Knows rates.",
  supportedInterfaces: [
    { url: "https://a.test", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url: "https://a.test/old", protocolBinding: "JSONRPC", protocolVersion: "0.1" },
  ],
  version: "1.2.3",
  documentationUrl: "https://a.test/docs",
  provider: { organization: "A", url: "https://a.test" },
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "s", name: "S", description: "d", tags: ["t"], securityRequirements: [] }],
};

/** What callers have to show, its name in the draft, and what goes with the name. */
export const schemes: readonly [SecurityScheme, string, object?][] = [
  [{ httpAuthSecurityScheme: { scheme: "bearer" } }, "Bearer"],
  [{ httpAuthSecurityScheme: { scheme: "HOBA" } }, "HOBA"],
  [
    { apiKeySecurityScheme: { location: "header", name: "X-Key" } },
    "ApiKey",
    { in: "header", name: "X-Key" },
  ],
  [
    { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: "https://t", scopes: {} } } } },
    "OAuth2",
    { flows: { clientCredentials: { tokenUrl: "https://t", scopes: {} } } },
  ],
  [
    { openIdConnectSecurityScheme: { openIdConnectUrl: "https://o" } },
    "OpenIdConnect",
    { openIdConnectUrl: "https://o" },
  ],
  [{ mtlsSecurityScheme: {} }, "MutualTLS"],
];

/** A message with members that the draft does not know. */
export const message: Message = {
  messageId: "m",
  contextId: "c",
  taskId: "t",
  role: "ROLE_AGENT",
  parts: [{ text: "hi", mediaType: "text/plain", filename: "f" }],
  extensions: ["https://e"],
};
/** A task with such messages, and with parts of every kind. */
export const task: Task = {
  id: "t",
  contextId: "c",
  status: { state: "TASK_STATE_WORKING", message, timestamp: "2026-01-31T12:00:00Z" },
  artifacts: [
    {
      artifactId: "a",
      name: "n",
      description: "d",
      parts: [{ raw: "AA==", filename: "f", mediaType: "a/b" }],
    },
    {
      artifactId: "b",
      parts: [{ url: "https://x" }, { data: 7 }, { data: { k: 1 }, metadata: { note: 1 } }],
    },
  ],
  history: [{ ...message, role: "ROLE_USER" }],
  metadata: { k: 1 },
};

/** A status of the task. */
export const at = (state: TaskState): StreamResponse => ({
  statusUpdate: { taskId: "t", contextId: "c", status: { state } },
});
/** A piece of an artifact of the task. */
export const chunk = (artifactId: string, more: object = {}): StreamResponse => ({
  artifactUpdate: { taskId: "t", contextId: "c", artifact: { artifactId, parts: [{ text: "x" }] }, ...more },
});
