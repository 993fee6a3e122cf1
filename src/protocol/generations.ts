import type { CallContext } from "./call-context.js";
import type { GetTaskRequest, SendMessageRequest, StreamResponse, Task } from "./model.js";

/**
 * The member `generation`, which the drafts of the next version add to tasks and events of the model. Drafts also add
 * `ifGenerationMatch` to sends and `currentGeneration` to reads; only the codecs of drafts pass these on. All are strings of decimal
 * digits, as ProtoJSON writes int64.
 */
export interface GenerationMember {
  /** Of a task: 1 when it is created, one more with each event. Of an event: the value after it. */
  readonly generation?: string;
}

/** Configuration of a send with a condition on the generation of its task. */
type Conditional = { readonly ifGenerationMatch?: string };
/** A read that waits until the task is beyond the generation that the caller has. */
export type Polling = GetTaskRequest & { readonly currentGeneration?: string };

/**
 * The generation that a task must have for a message to be accepted, as the caller wrote it; undefined without a condition, and always in
 * versions without generations.
 */
export function generationToMatch(
  { configuration }: SendMessageRequest,
  { generations }: CallContext,
): string | undefined {
  return generations ? (configuration as Conditional | undefined)?.ifGenerationMatch : undefined;
}

/** The generation that the caller of a read has, and beyond which it wants the task; undefined when it does not wait. */
export function generationSeen(request: object, { generations }: CallContext): number | undefined {
  return generations ? numberOf((request as Polling).currentGeneration) : undefined;
}

/** The generation that an agent has written into a task or an event, as a number, not validated; undefined without one. */
export function generationIn(value: object | undefined): number | undefined {
  return numberOf((value as GenerationMember | undefined)?.generation);
}

/** A copy of a task with its generation. */
export function withGeneration(task: Task, generation: number): Task {
  const counted: Task & GenerationMember = { ...task, generation: String(generation) };
  return counted;
}

/**
 * A copy of an event of a task with the generation after it. A plain message is returned itself, and so is every event when `generation` is
 * undefined.
 */
export function eventWithGeneration(event: StreamResponse, generation: number | undefined): StreamResponse {
  if (generation === undefined) return event;
  const counted: GenerationMember = { generation: String(generation) };
  if (event.statusUpdate) return { statusUpdate: { ...event.statusUpdate, ...counted } };
  if (event.artifactUpdate) return { artifactUpdate: { ...event.artifactUpdate, ...counted } };
  return event.task ? { task: { ...event.task, ...counted } } : event;
}

function numberOf(text: unknown): number | undefined {
  return text === undefined ? undefined : Number(text);
}
