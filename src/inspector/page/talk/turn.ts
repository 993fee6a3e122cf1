import { type Signal, signal } from "@preact/signals";
import { type Gap, gapBefore } from "../../../client/stream/gap.js";
import type { AgentInterface, Message, Received, StreamResponse, Task } from "../../../protocol/model.js";
import { generationOf } from "../../../task-log/log.js";
import { KeptEvents } from "../session/kept-events.js";
import type { LineConnection } from "./line.js";

/** An event of a turn, with its time in milliseconds since 1970. */
export interface TurnEvent {
  readonly at: number;
  readonly event: Received<StreamResponse>;
  /** Position in the log of the task, when the agent numbers events. */
  readonly generation: number | undefined;
  /** Set when events before this one were missed. */
  readonly gap: Gap | undefined;
}

/** How the answer to a message is received. */
export type AnswerMode = "stream" | "wait" | "return";

/** One call of a conversation and everything that came back, as plain data. */
export interface Turn {
  readonly id: number;
  /** The message that was sent; undefined for a subscription. */
  readonly message: Received<Message> | undefined;
  /** The task that was continued or subscribed to. */
  readonly taskId: string | undefined;
  readonly mode: AnswerMode | "subscribe";
  readonly agentInterface: AgentInterface;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  /** The events that are kept: the first one, and the last ones. */
  readonly events: readonly TurnEvent[];
  /** Number of events after the first one that are no longer kept. */
  readonly droppedEvents: number;
  readonly connections: readonly LineConnection[];
  /** The task as of the last event. */
  readonly task: Received<Task> | undefined;
  /** The plain message, when the agent has created no task. */
  readonly reply: Received<Message> | undefined;
  readonly problem: string | undefined;
}

/** Members of a {@link LiveTurn} that are known when it begins. */
export type TurnStart = Pick<Turn, "id" | "message" | "taskId" | "mode" | "agentInterface" | "connections">;

/** Milliseconds between updates of the page while events arrive. */
const PACE = 60;

/** A turn while it runs. Readers look at `changes`, which counts updates of the page: many events make one. */
export class LiveTurn implements Turn {
  readonly id: number;
  readonly message: Received<Message> | undefined;
  readonly taskId: string | undefined;
  readonly mode: Turn["mode"];
  readonly agentInterface: AgentInterface;
  readonly connections: readonly LineConnection[];
  readonly startedAt = Date.now();
  readonly changes: Signal<number> = signal(0);
  endedAt: number | undefined;
  /** Reads the folded task, which is made only when the page looks at it. */
  foldedTask: () => Received<Task> | undefined = () => undefined;
  reply: Received<Message> | undefined;
  problem: string | undefined;
  readonly #kept = new KeptEvents<TurnEvent>();
  /** Characters from which the folded task was made, at most. */
  #folded = 0;
  readonly #said: number;
  #isScheduled = false;

  constructor(start: TurnStart) {
    this.id = start.id;
    this.message = start.message;
    this.taskId = start.taskId;
    this.mode = start.mode;
    this.agentInterface = start.agentInterface;
    this.connections = start.connections;
    this.#said = start.message === undefined ? 0 : JSON.stringify(start.message).length;
  }

  get events(): readonly TurnEvent[] {
    return this.#kept.events;
  }

  get droppedEvents(): number {
    return this.#kept.dropped;
  }

  /** Characters that the turn holds: of its message, its events, and the task that is folded from them. */
  get held(): number {
    return this.#said + this.#kept.held + this.#folded;
  }

  get task(): Received<Task> | undefined {
    return this.foldedTask();
  }

  /** Adds an event that has come. */
  add(event: Received<StreamResponse>): void {
    const size = JSON.stringify(event).length;
    this.#kept.add({ at: Date.now(), event, generation: generationOf(event), gap: gapBefore(event) }, size);
    if (event.task !== undefined) this.#folded = size;
    else if (event.artifactUpdate !== undefined) this.#folded += size;
    this.changed();
  }

  /** Ends the turn, with a problem if it has failed. */
  end(problem?: string): void {
    this.endedAt = Date.now();
    this.problem = problem;
    this.changed();
  }

  /** Updates the page soon. */
  readonly changed = (): void => {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => {
      this.#isScheduled = false;
      this.changes.value += 1;
    }, PACE);
  };
}

/** Id of the task that a turn is about, as far as it is known. */
export function taskIdOf({ task, taskId }: Pick<Turn, "task" | "taskId">): string | undefined {
  return task?.id ?? taskId;
}
