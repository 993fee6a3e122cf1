/**
 * What agent authors need: `defineAgent`, the builders for updates and parts, the model and the errors.
 * `a2a-parley/server` serves the agent.
 *
 * @packageDocumentation
 */

// The model: types of the protocol by its own names
export type * from "../generated/v1.0/models.js";
export type { Open, Received, UnrecognizedEnumValue } from "../generated/v1.0/received.js";
// An agent
export {
  type ContextMemory,
  type ContextMemoryOptions,
  type Conversation,
  contextMemory,
} from "./agent/context-memory.js";
export {
  type Agent,
  type AgentDefinition,
  defineAgent,
  type ExtendedCard,
  type SkillAgentDefinition,
  type SkillListDefinition,
} from "./agent/define-agent.js";
export type { SkillContext, SkillExecutor, SkillExecutors } from "./agent/execute-skills.js";
export type {
  CancelContext,
  CancelHook,
  ExecutionContext,
  Executor,
  ExecutorResult,
  GeneratorExecutor,
  NextMessageOptions,
  TaskCreation,
} from "./agent/executor.js";
export {
  defineExtension,
  type Extension,
  type ExtensionOptions,
} from "./agent/extension.js";
export { type Match, type RouteOptions, routeSkills } from "./agent/route-skills.js";
// Contracts of skills
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
} from "./agent/skills/contract.js";
export type { TypeOfSchema } from "./agent/skills/schema-type.js";
export { type AnySkill, type Skill, type SkillDefinition, skill } from "./agent/skills/skill.js";
export { type StandardSchema, withJsonSchema } from "./agent/skills/standard-schema.js";
export { UpdateRefused } from "./agent/update-refused.js";
export {
  type ArtifactOptions,
  type ArtifactUpdate,
  ArtifactWriter,
  artifact,
  authRequired,
  type ChunkOptions,
  type Content,
  completed,
  failed,
  inputRequired,
  type MessageDraft,
  type Reply,
  rejected,
  reply,
  type StatusOptions,
  type StatusUpdate,
  submitted,
  type Update,
  working,
} from "./agent/updates.js";
export type { CardInput } from "./card/build-card.js";
// Contracts of skills and extensions
export type { JsonSchema, SchemaCheck } from "./json/json-schema.js";
export type { CallContext, Principal } from "./protocol/call-context.js";
// Errors
export {
  A2AError,
  type A2AErrorOptions,
  type ErrorCode,
  type FieldViolation,
  invalidParams,
} from "./protocol/errors.js";
// Tasks
export { canTransition, isInterrupted, isTerminal } from "./protocol/lifecycle.js";
// Logging
export type { Logger } from "./protocol/logger.js";
// Messages
export { agentMessage, type MessageOptions, userMessage } from "./protocol/messages.js";
// Guards of enums
export { isRole, isTaskState } from "./protocol/model.js";
// Parts
export {
  bytesOf,
  dataOf,
  dataPart,
  filePart,
  type PartOptions,
  textOf,
  textPart,
  urlPart,
} from "./protocol/parts.js";
