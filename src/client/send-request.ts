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
   * Sends the message to this task, only if it has not changed since it was received. Otherwise the agent refuses the message with
   * TASK_GENERATION_MISMATCH. A task has a generation only in drafts of the protocol; without one the send fails with INVALID_REQUEST.
   */
  readonly ifUnchanged?: Received<Task> | undefined;
  /** Metadata of the request. */
  readonly metadata?: { [key: string]: unknown } | undefined;
}

/**
 * The request that sends a message. If it depends on the generation of a task that has none, or of an agent that is called in a version
 * without generations, the condition is "none", which no codec writes.
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
    message: userMessage(content, ifUnchanged ? { taskId, ...message } : message),
    ...((condition ?? configuration) && { configuration: { ...configuration, ...condition } }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** Id of the task that a request sends a message to; undefined for a message that begins a new one. */
export function taskOf(request: object): string | undefined {
  return (request as Partial<SendMessageRequest>).message?.taskId;
}
