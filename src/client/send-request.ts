import type { GenerationMember } from "../protocol/generations.js";
import { type MessageOptions, userMessage } from "../protocol/messages.js";
import type {
  Part,
  Received,
  SendMessageConfiguration,
  SendMessageRequest,
  Task,
} from "../protocol/model.js";
import type { CallOptions } from "./options.js";

/** Content of a message: text, which becomes one part, or parts. */
export type MessageContent = string | readonly Part[];

/** Options of a send. */
export interface SendOptions extends CallOptions {
  /** Members of the message other than its content. */
  readonly message?: MessageOptions | undefined;
  /** Configuration of the request, such as `returnImmediately` (§3.2.2). */
  readonly configuration?: SendMessageConfiguration | undefined;
  /**
   * Sends the message to this task, unless `message` names another one. If the task has changed since it was received, the agent refuses
   * the message with TASK_GENERATION_MISMATCH. Only drafts of the protocol have generations: in other versions, and for a task without a
   * generation, the send fails with ClientError INVALID_REQUEST.
   */
  readonly ifUnchanged?: Received<Task> | undefined;
  /** Metadata of the request. */
  readonly metadata?: { [key: string]: unknown } | undefined;
}

/**
 * The request that sends a message. If the task in `ifUnchanged` has no generation, or the agent is called in a version without
 * generations, the condition is "none", which the codecs refuse, so that the message is not sent without its condition.
 * @param hasGenerations whether the agent is called in a version that has generations
 * @throws TypeError for content that is neither a string nor a list
 */
export function requestOf(
  content: MessageContent,
  { message, configuration, metadata, ifUnchanged }: SendOptions,
  hasGenerations: boolean,
): SendMessageRequest {
  const { id: taskId, generation }: Partial<Received<Task>> & GenerationMember = ifUnchanged ?? {};
  const condition = ifUnchanged && {
    ifGenerationMatch: String((hasGenerations && Number(generation)) || "none"),
  };
  return {
    message: userMessage(content, { ...message, taskId: message?.taskId ?? taskId }),
    ...((condition ?? configuration) && { configuration: { ...configuration, ...condition } }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** The `taskId` of the message in a request; undefined without one. */
export function taskOf(request: object | undefined): string | undefined {
  return (request as Partial<SendMessageRequest> | undefined)?.message?.taskId;
}
