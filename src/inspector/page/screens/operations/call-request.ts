import { type OperationName, operation, operations } from "../../../../protocol/operations.js";
import { blankValue, type FormDocument, type SchemaNode } from "../../forms/form-schema.js";

/** Names of all operations, in the order of the protocol. */
export const operationNames: readonly OperationName[] = operations.map(({ name }) => name);

/** The schema of an operation's request. */
export function requestNode(name: OperationName, { $defs }: FormDocument): SchemaNode {
  return $defs[operation(name).request] ?? {};
}

/** A request to begin with. A message has a fresh id, and one part of text. */
export function firstRequest(name: OperationName, document: FormDocument): object {
  const node = requestNode(name, document);
  if (!sends(name)) return blankValue(node, document) as object;
  return { message: { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text: "Hello" }] } };
}

/** Whether an operation sends a message. */
export function sends(name: OperationName): boolean {
  return operation(name).request === "SendMessageRequest";
}

/** The same request with a fresh message id: agents ignore a message that they have had. */
export function withFreshMessage(request: object): object {
  const { message } = request as { message?: object };
  if (typeof message !== "object" || message === null) return request;
  return { ...request, message: { ...message, messageId: crypto.randomUUID() } };
}

/** A request for the same task as another one, if both name tasks and this one names none yet. */
export function carriedOver(from: object | undefined, to: object): object {
  const { id, taskId } = (from ?? {}) as { id?: unknown; taskId?: unknown };
  const task = taskId ?? id;
  if (typeof task !== "string" || task === "") return to;
  if ("taskId" in to) return to.taskId === "" ? { ...to, taskId: task } : to;
  return "id" in to && to.id === "" ? { ...to, id: task } : to;
}
