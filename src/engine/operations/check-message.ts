import type { Optional } from "../../json/omit.js";
import type { CallContext } from "../../protocol/call-context.js";
import { checkSendRequest } from "../../protocol/check-send.js";
import { A2AError, checkName, clientError, invalidParams } from "../../protocol/errors.js";
import { generationToMatch } from "../../protocol/generations.js";
import { isTerminal } from "../../protocol/lifecycle.js";
import type { AgentCard, AgentSkill, Message, SendMessageRequest, Task } from "../../protocol/model.js";
import type { TaskSnapshot } from "../../stores/task-store.js";
import type { EngineOptions } from "../engine-options.js";

/** Maximum number of characters of a refused media type in an error message. */
const SHOWN = 100;

/** The media types for input modes that name kinds of parts, as cards of older versions may do. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ["text", "text/*"],
  ["file", "*/*"],
  ["data", "application/json"],
]);

/**
 * Checks rules for a message that the schema cannot express and that need no stored task.
 * @throws A2AError INVALID_PARAMS naming the member, or the header `Idempotency-Key`; PUSH_NOTIFICATION_NOT_SUPPORTED for a webhook if
 * the card does not declare push notifications
 */
export function checkRequest(
  request: SendMessageRequest,
  call: CallContext,
  { card, maxName }: Pick<EngineOptions, "card" | "maxName">,
): void {
  checkSendRequest(request);
  checkNames(request, call, maxName);
  const push = request.configuration?.taskPushNotificationConfig;
  if (push !== undefined && card.capabilities.pushNotifications !== true)
    throw new A2AError("PUSH_NOTIFICATION_NOT_SUPPORTED");
}

/** Refuses ids and keys that are longer than the limit of stored names. */
function checkNames(
  { message, configuration }: SendMessageRequest,
  call: CallContext,
  max: number | undefined,
): void {
  const { messageId, taskId, contextId } = message;
  const mayBegin = !taskId || call.clientTaskIds === true;
  checkName("message.messageId", messageId, max);
  // If the message can only continue a task, these ids are compared with stored ones, and not stored.
  if (mayBegin) checkName("message.taskId", taskId, max);
  if (mayBegin) checkName("message.contextId", contextId, max);
  checkName(
    "configuration.taskPushNotificationConfig.id",
    configuration?.taskPushNotificationConfig?.id,
    max,
  );
  checkName("Idempotency-Key", call.idempotencyKey, max);
}

/**
 * Checks a message against the task that it continues: a context that it names must be that of the task, and the task must still accept
 * messages (§3.4.3).
 * @param bytes approximate size of the task
 * @throws A2AError INVALID_PARAMS naming `message.contextId`; UNSUPPORTED_OPERATION if the task has ended, has too many messages, or
 * is too large
 */
export function checkContinues(
  message: Message,
  task: Task,
  bytes: number,
  { maxHistory = Infinity, maxTask = Infinity }: Pick<EngineOptions, "maxHistory" | "maxTask">,
): void {
  if (message.contextId && message.contextId !== task.contextId) {
    throw invalidParams("message.contextId", "must be the context of the task, or absent");
  }
  if (isTerminal(task.status.state)) {
    throw new A2AError("UNSUPPORTED_OPERATION", "The task has ended and accepts no further messages", {
      metadata: { taskId: task.id },
    });
  }
  const isLong = (task.history?.length ?? 0) >= maxHistory;
  if (!isLong && bytes < maxTask) return;
  const text = isLong
    ? `The task has ${maxHistory} messages or more and accepts no more: start a new task`
    : `The task has ${maxTask} bytes or more and accepts no more messages: start a new task`;
  throw new A2AError("UNSUPPORTED_OPERATION", text, { metadata: { taskId: task.id } });
}

/**
 * Checks that a task is at the generation that the message requires, if it requires one.
 * @throws A2AError TASK_GENERATION_MISMATCH
 */
export function checkGeneration(
  request: SendMessageRequest,
  { task, generation }: TaskSnapshot,
  call: CallContext,
): void {
  const expected = generationToMatch(request, call);
  if (expected === undefined || Number(expected) === generation) return;
  throw clientError("TASK_GENERATION_MISMATCH", undefined, {
    metadata: { taskId: task.id, expectedGeneration: expected, currentGeneration: String(generation) },
  });
}

/**
 * Checks the media types of parts against those that the agent accepts. Parts without a media type pass.
 * @param accepted from {@link inputModes}; undefined to accept any type
 * @throws A2AError CONTENT_TYPE_NOT_SUPPORTED
 */
export function checkMediaTypes(message: Message, accepted: readonly string[] | undefined): void {
  if (accepted === undefined) return;
  for (const [index, { mediaType }] of message.parts.entries()) {
    if (!mediaType) continue;
    const stated = withoutParameters(mediaType);
    if (accepted.some((mode) => covers(mode, stated))) continue;
    const shown = JSON.stringify(mediaType.slice(0, SHOWN));
    throw new A2AError("CONTENT_TYPE_NOT_SUPPORTED", `The agent does not accept ${shown}`, {
      violations: [
        { field: `message.parts[${index}].mediaType`, description: `must be one of ${accepted.join(", ")}` },
      ],
    });
  }
}

/** The members of a card that name input modes. */
interface CardModes extends Optional<Pick<AgentCard, "defaultInputModes">> {
  readonly skills?: readonly Pick<AgentSkill, "inputModes">[] | undefined;
}

/**
 * The media types that an agent accepts: the default input modes and the input modes of every skill (§4.4.1, §4.4.5).
 * @param declared the card of the agent's definition
 * @param card the card as served
 * @returns without parameters, in lower case; undefined, for any type, if the definition names no input modes
 */
export function inputModes(declared: CardModes, card: CardModes): readonly string[] | undefined {
  if (modesIn(declared).length === 0) return undefined;
  return [...new Set(modesIn(card).map((mode) => KINDS.get(mode.toLowerCase()) ?? withoutParameters(mode)))];
}

function modesIn({ defaultInputModes = [], skills = [] }: CardModes): readonly string[] {
  return [...defaultInputModes, ...skills.flatMap((skill) => skill.inputModes ?? [])];
}

function withoutParameters(mediaType: string): string {
  return (mediaType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

function covers(mode: string, mediaType: string): boolean {
  return (
    mode === "*/*" || mode === mediaType || (mode.endsWith("/*") && mediaType.startsWith(mode.slice(0, -1)))
  );
}
