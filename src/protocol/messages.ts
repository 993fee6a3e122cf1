import { argumentError } from "./argument.js";
import type { Message, Part, Role } from "./model.js";
import { textPart } from "./parts.js";

/** Members of a message besides its content (§4.1.4). */
export interface MessageOptions {
  /** A random UUID by default. To repeat a send, use the id of the first one, by which an agent may recognize it (§3.3.1). */
  readonly messageId?: string | undefined;
  /** The task that the message continues. */
  readonly taskId?: string | undefined;
  /** The conversation that the message belongs to. Use the id that the agent has assigned; an agent may refuse any other (§3.4.1). */
  readonly contextId?: string | undefined;
  /** Free data about the message, by key. */
  readonly metadata?: { [key: string]: unknown } | undefined;
  /** URIs of the extensions that the message uses. */
  readonly extensions?: readonly string[] | undefined;
  /** Earlier tasks that the message refers to. */
  readonly referenceTaskIds?: readonly string[] | undefined;
}

/**
 * Creates a message to an agent. A string becomes one text part.
 *
 * @example
 * ```ts
 * const message = userMessage("Plan a weekend", { contextId: "c1" });
 * ```
 * @throws TypeError for content that is neither a string nor a list
 */
export function userMessage(content: string | readonly Part[], options: MessageOptions = {}): Message {
  return message("ROLE_USER", content, options);
}

/**
 * Creates a message from an agent, including its id. For gateways and bridges that implement the operations themselves;
 * executors yield updates instead, and the engine fills in the rest.
 *
 * @example
 * ```ts
 * const message = agentMessage("Which city?", { taskId: "t1", contextId: "c1" });
 * ```
 * @throws TypeError for content that is neither a string nor a list
 */
export function agentMessage(content: string | readonly Part[], options: MessageOptions = {}): Message {
  return message("ROLE_AGENT", content, options);
}

function message(role: Role, content: string | readonly Part[], options: MessageOptions): Message {
  if (typeof content !== "string" && !Array.isArray(content))
    throw argumentError("A message needs a string or a list of parts", content);
  const { messageId = crypto.randomUUID(), taskId, contextId, metadata } = options;
  const { extensions, referenceTaskIds } = options;
  return {
    messageId,
    role,
    parts: typeof content === "string" ? [textPart(content)] : [...content],
    ...(taskId !== undefined && { taskId }),
    ...(contextId !== undefined && { contextId }),
    ...(metadata !== undefined && { metadata }),
    ...(extensions && { extensions: [...extensions] }),
    ...(referenceTaskIds && { referenceTaskIds: [...referenceTaskIds] }),
  };
}
