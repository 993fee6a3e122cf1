/**
 * Calling agents: `connect`, the client that it returns, and their options and errors. Runs in browsers and on Node, Bun, Deno and Workers.
 *
 * @packageDocumentation
 */

export type {
  DataSchema,
  DataShape,
  InputOf,
  OutputOf,
  ReceivedInputOf,
  ReceivedOutputOf,
  SkillContract,
  SkillMap,
  SkillReference,
  SkillSchemas,
  SkillSignature,
} from "../agent/skills/contract.js";
export type { StandardSchema } from "../agent/skills/standard-schema.js";
export { CardSignatureError } from "../card/card-signature-error.js";
export type { KeySetPolicy, TrustedKey } from "../card/verification-key.js";
export type { JsonSchema, SchemaCheck } from "../json/json-schema.js";
export { isInterrupted, isTerminal } from "../protocol/lifecycle.js";
export type { Logger } from "../protocol/logger.js";
export { type MessageOptions, userMessage } from "../protocol/messages.js";
export type {
  AgentCard,
  AgentExtension,
  AgentInterface,
  AgentSkill,
  Artifact,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  Metadata,
  Open,
  Part,
  Received,
  Role,
  SecurityScheme,
  SendMessageConfiguration,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskPushNotificationConfig,
  TaskState,
  TaskStatus,
  TaskStatusUpdateEvent,
  Timestamp,
  UnrecognizedEnumValue,
} from "../protocol/model.js";
export { isRole, isTaskState } from "../protocol/model.js";
export type { BindingName, OperationName } from "../protocol/operations.js";
export {
  bytesOf,
  dataOf,
  dataPart,
  filePart,
  type PartOptions,
  textOf,
  textPart,
  urlPart,
} from "../protocol/parts.js";
export type { ClientVersion } from "../versions/client-codecs.js";
export type { RemoteErrorCode } from "../versions/received-error.js";
export {
  type AuthorizationCodeOptions,
  type AuthorizationRedirect,
  authorizationCode,
} from "./auth/authorization-code.js";
export { type ClientCredentialsOptions, clientCredentials } from "./auth/client-credentials.js";
export { basic, type CredentialNeed, type CredentialProvider, type Credentials } from "./auth/credentials.js";
export { type DeviceCodeOptions, type DevicePrompt, deviceCode } from "./auth/device-code.js";
export type { Token, TokenStore } from "./auth/oauth-token.js";
export type { Backoff } from "./backoff.js";
export { CardCache } from "./card/card-cache.js";
export type { SignaturePolicy } from "./card/resolve-card.js";
export { Client } from "./client.js";
export { ClientError, type ClientErrorCode } from "./client-error.js";
export { connect } from "./connect.js";
export type { TimeLimits } from "./deadline.js";
export { artifactReference, foldTask } from "./fold-task.js";
export type { CallOutcome, ClientCall, ClientInterceptor, OperationResult } from "./interceptor.js";
export type { CallOptions, ConnectOptions } from "./options.js";
export { PushConfigs } from "./push-configs.js";
export type { SizeLimits } from "./read-stream.js";
export { RemoteError } from "./remote-error.js";
export { RemoteSkill } from "./remote-skill.js";
export type { MessageContent, SendOptions } from "./send-request.js";
export type { ClientExtension, HeaderFields } from "./service-parameters.js";
export type { SkillResult } from "./skill-answer.js";
export type { SkillOptions, SkillQuestion, SkillReply } from "./skill-calls.js";
export { SkillError } from "./skill-error.js";
export { type SkillEvent, SkillStream } from "./skill-stream.js";
export { type Gap, gapBefore } from "./stream/gap.js";
export { TaskStream } from "./stream/task-stream.js";
export type { GrpcConnectOptions, GrpcTls, GrpcWeb, GrpcWebOptions } from "./transports/grpc/grpc-options.js";
export type { WaitOptions } from "./wait-for-task.js";
