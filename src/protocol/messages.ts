import type { Message, Part, Role } from "./model.js";
import { textPart } from "./parts.js";

/** What a message carries besides its content (§4.1.4). */
export interface MessageOptions {
  /** Made when left out. Whoever repeats a send repeats the id with it. */
  readonly messageId?: string;
  /** The task that the message continues. */
  readonly taskId?: string;
  /** The conversation that it belongs to, as the agent named it. */
  readonly contextId?: string;
  readonly metadata?: { [key: string]: unknown };
  /** URIs of the extensions that the message makes use of. */
  readonly extensions?: readonly string[];
  /** Earlier tasks that the message is about. */
  readonly referenceTaskIds?: readonly string[];
}

/** A message to an agent. Text becomes one part. */
export function userMessage(content: string | readonly Part[], options: MessageOptions = {}): Message {
  return message("ROLE_USER", content, options);
}

/**
 * A message from an agent, complete with its id: for gateways and bridges that answer the operations themselves. Executors
 * need none of this: the update builders take text, parts or a draft, and the engine fills in the rest.
 */
export function agentMessage(content: string | readonly Part[], options: MessageOptions = {}): Message {
  return message("ROLE_AGENT", content, options);
}

function message(role: Role, content: string | readonly Part[], options: MessageOptions): Message {
  const { messageId = crypto.randomUUID(), extensions, referenceTaskIds, ...rest } = options;
  return {
    messageId,
    role,
    parts: typeof content === "string" ? [textPart(content)] : [...content],
    ...rest,
    ...(extensions && { extensions: [...extensions] }),
    ...(referenceTaskIds && { referenceTaskIds: [...referenceTaskIds] }),
  };
}
