import { A2AError } from "../protocol/errors.js";
import { isTerminal } from "../protocol/lifecycle.js";
import type { StreamResponse, Task } from "../protocol/model.js";
import { operation as rowOf } from "../protocol/operations.js";
import type { ArrivalListener } from "../task-log/log-feed.js";
import { type OperationInvocation, reading, recordTaskVersion } from "./answer.js";
import type { OpenedStream } from "./bindings/binding.js";
import { failure } from "./failure.js";
import type { HostRequest } from "./host.js";
import { invoke } from "./interceptors/interceptor.js";
import type { ChosenRequest } from "./operation-request.js";

type Source = AsyncIterable<StreamResponse>;
type Events = OpenedStream["rest"];

const LEFT = "The caller has left";

/** The steps that open a stream. */
interface Opening {
  /** Waits until the operation may run; undefined if it may run now. */
  turn(): Promise<void> | undefined;
  /** Calls the operation. */
  ask(): Source | Promise<Source>;
  /**
   * Waits until the first event may be written; undefined if it may be written now. Meanwhile the stream is closed, so that the event
   * need not be kept in memory, and afterwards the operation is called again.
   */
  admit(first: StreamResponse): Promise<void> | undefined;
  /** Called with the first event when it may be written. */
  began(first: StreamResponse): void;
  /** Returns the only event of a stream that cannot be opened; undefined if the stream has to fail with the error. */
  instead(error: unknown): Promise<StreamResponse | undefined>;
}

/**
 * Performs a streaming operation. Waits for the first event, so that a failure before it is an ordinary error response (§3.1.2), unless the
 * headers have to be sent before that.
 *
 * @throws A2AError RATE_LIMITED or UNAVAILABLE when too many streams are open, INVALID_AGENT_RESPONSE for a stream without events, and the
 *   errors of the operation before its first event
 */
export async function openStream({ request, call, parameters }: OperationInvocation): Promise<OpenedStream> {
  const { agent, codec, operation, host } = request;
  const closed = agent.streams?.take(call);
  const room = reading.has(operation) ? host.room : undefined;
  const opening = new OpeningEvents({
    turn: () => room?.turn(),
    ask: () => invoke(agent, operation, parameters, call) as Source | Promise<Source>,
    admit: (event) => room?.enter(event, true),
    began: (event) => recordTaskVersion({ request, call, parameters }, event),
    instead: async () => {
      if (!codec.conventions.streamsEndedTasks || operation.request !== "SubscribeToTaskRequest")
        return undefined;
      const task = (await invoke(agent, rowOf("GetTask"), parameters, call)) as Task;
      return isTerminal(task.status.state) ? { task } : undefined;
    },
  });
  try {
    const first = await opening.first(host);
    return { first, rest: opening.rest, failed: failureOf(request), closed };
  } catch (thrown) {
    closed?.();
    throw thrown;
  }
}

/** Not a closure of {@link openStream}, which would keep the parameters in memory as long as the stream is open. */
function failureOf(request: ChosenRequest): OpenedStream["failed"] {
  return (thrown) => failure(thrown, request);
}

/** The events of a stream that is being opened. `return` may be called at any time, and releases what the stream waits for. */
class OpeningEvents implements Events {
  /** Undefined when the stream is open or was left, so that a stream that is open for hours does not keep its request in memory. */
  #opening: Opening | undefined;
  #events: Events | undefined;
  /** The pending first event, if the headers were due before it. */
  #late: Promise<StreamResponse> | undefined;

  constructor(opening: Opening) {
    this.#opening = opening;
  }

  /**
   * Opens the stream.
   * @returns the first event; undefined if the headers are due before it, and then it is the first event of `rest`
   */
  first(request: Pick<HostRequest, "whileSilent">): Promise<StreamResponse | undefined> {
    const first = this.#open();
    if (request.whileSilent === undefined) return first;
    return new Promise((resolve, reject) => {
      const due = () => {
        this.#late = first;
        resolve(undefined);
      };
      const ended = request.whileSilent?.(due);
      first.finally(ended).then(resolve, reject);
    });
  }

  /** The events after the result of `first`. They are read directly from the source once it is open. */
  get rest(): Events {
    return this.#late === undefined ? (this.#events ?? this) : this;
  }

  get isKept(): boolean {
    return this.#events?.isKept ?? false;
  }

  ready(): StreamResponse | undefined {
    return this.#late === undefined ? this.#events?.ready?.() : undefined;
  }

  get isOver(): boolean {
    return this.#late === undefined && (this.#events?.isOver ?? false);
  }

  listen(listener: ArrivalListener): boolean {
    return this.#late === undefined && (this.#events?.listen?.(listener) ?? false);
  }

  next(): Promise<IteratorResult<StreamResponse>> {
    const late = this.#late;
    this.#late = undefined;
    if (late !== undefined) return late.then((value) => ({ done: false, value }));
    return this.#events?.next() ?? Promise.resolve({ done: true, value: undefined });
  }

  async return(): Promise<IteratorResult<StreamResponse>> {
    this.#opening = undefined;
    await this.#events?.return?.();
    return { done: true, value: undefined };
  }

  async #open(): Promise<StreamResponse> {
    const opening = this.#opening;
    if (opening === undefined) throw new A2AError("UNAVAILABLE", LEFT);
    const turn = opening.turn();
    if (turn !== undefined) await turn;
    const found = await this.#firstOf(opening);
    const admitted = opening.admit(found);
    // Not awaited here, because a waiting function would keep the event in memory.
    if (admitted !== undefined) return this.#again(admitted);
    this.#opening = undefined;
    opening.began(found);
    return found;
  }

  async #firstOf(opening: Opening): Promise<StreamResponse> {
    try {
      const asked = opening.ask();
      const source = asked instanceof Promise ? await asked : asked;
      const events = source[Symbol.asyncIterator]();
      this.#events = events;
      if (this.#opening === undefined) return await leave(events);
      const { done, value } = await events.next();
      if (!done) return value;
    } catch (error) {
      if (this.#opening === undefined) throw error;
      const only = await opening.instead(error);
      if (only === undefined) throw error;
      this.#events = undefined;
      return only;
    }
    const cause = new Error("The stream has no events");
    throw new A2AError("INVALID_AGENT_RESPONSE", undefined, { cause });
  }

  async #again(admitted: Promise<void>): Promise<StreamResponse> {
    await Promise.all([admitted, this.#events?.return?.()]);
    return this.#open();
  }
}

/** Closes a stream whose reader left while it was being opened. */
async function leave(events: Events): Promise<never> {
  await events.return?.();
  throw new A2AError("UNAVAILABLE", LEFT);
}
