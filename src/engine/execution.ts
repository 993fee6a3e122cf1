import { setImmediate } from "node:timers/promises";
import type { AgentDefinition } from "../agent/define-agent.js";
import { failed, type Reply, type Update } from "../agent/updates.js";
import { A2AError } from "../errors.js";
import { LazySignal } from "../lazy-signal.js";
import type { Logger } from "../logger.js";
import type { Message, TaskArtifactUpdateEvent } from "../model.js";
import { GenerationConflict, type TaskSnapshot } from "../stores/task-store.js";
import { isInterrupted, isTerminal } from "../task/lifecycle.js";
import { Admission, UpdateRefused } from "./admission.js";
import type { ExtensionRules } from "./extension-rules.js";
import { Inbox } from "./inbox.js";
import { LogWriter } from "./log-writer.js";
import { RunContext } from "./run-context.js";
import type { TaskLog } from "./task-log.js";
import type { Turn } from "./turn.js";

/** What came of a message: a task whose log holds it since `generation`, or a plain message. */
export type Outcome = { readonly generation: number } | { readonly reply: Message };

/** What an execution needs from its surroundings. */
export interface Surroundings {
  readonly agent: AgentDefinition;
  readonly extensions?: ExtensionRules;
  /** The log that it writes; it belongs to this execution alone. */
  readonly log: TaskLog;
  readonly contextId: string;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How many events may wait for the store before the executor is held back. */
const BACKLOG = 256;

/** After how many updates in a row the executor lets the event loop turn, so that readers see them as they come. */
const TURN = 64;

/** For rejections that are dealt with elsewhere. */
const ignore = (): void => undefined;

/**
 * The executor at work on one task: the only writer of that task's log while it lives. Messages that arrive meanwhile wait
 * for the next run, unless the executor asks for them.
 */
export class Execution {
  readonly log: TaskLog;
  /** Resolves with what came of the first message; rejects when nothing did. */
  readonly outcome: Promise<Outcome>;
  readonly #around: Surroundings;
  readonly #writer: LogWriter;
  readonly #admission: Admission;
  readonly #stop = new LazySignal();
  readonly #inbox = new Inbox();
  readonly #artifactIds: Set<string>;
  #reply: Message | undefined;
  #busy = false;
  #stopped = false;
  #settle!: { resolve(outcome: Outcome): void; reject(error: unknown): void };

  /** @param snapshot the task that is continued; undefined when it is to be made */
  constructor(around: Surroundings, snapshot?: TaskSnapshot) {
    this.#around = around;
    this.log = around.log;
    this.#writer = new LogWriter(around.log, snapshot?.generation ?? 0, () =>
      this.#stop.abort("The log of the task has another writer"),
    );
    const identity = { taskId: around.log.taskId, contextId: around.contextId };
    this.#admission = new Admission(identity, snapshot?.task.status ?? {}, around.now);
    this.#artifactIds = new Set(snapshot?.task.artifacts?.map(({ artifactId }) => artifactId));
    this.outcome = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Nobody may be waiting for it: a message that continues a task is answered by the log.
    this.outcome.catch(ignore);
    if (snapshot) this.#settle.resolve({ generation: snapshot.generation });
  }

  /** Whether the log could not be written any more: another writer has it, or the store failed. */
  get lost(): boolean {
    return this.#writer.failed;
  }

  /**
   * Runs the executor for the opening message, or for one already taken in, and for those that arrive meanwhile. Never
   * rejects; when it resolves the execution takes no more messages.
   */
  async run(opening?: Turn): Promise<void> {
    const { logger } = this.#around;
    const { taskId } = this.log;
    try {
      // What was taken in is in the log before the executor acts on it.
      await this.#writer.durable(this.#writer.generation);
      let turn = opening ?? this.#inbox.take();
      while (turn !== undefined) {
        await this.#answer(turn);
        if (this.#inbox.empty) this.#complete(turn);
        await this.#writer.durable(this.#writer.generation);
        turn = this.#terminal ? undefined : this.#inbox.take();
      }
    } catch (error) {
      if (error instanceof GenerationConflict)
        logger.info({ taskId }, "Another writer has taken the task over");
      else logger.error({ err: error, taskId }, "The log of a task could not be written");
      this.#settle.reject(error);
    }
    this.#stop.abort("The execution has ended");
  }

  /**
   * Takes a message for the task in: work resumes when it was waiting, else the message waits for the next run, unless the
   * executor is waiting for it (TASK-12).
   * @returns the generation that records it, once that is durable
   * @throws A2AError UNSUPPORTED_OPERATION when the task has ended, or when the agent refuses follow-ups while it works
   * @throws GenerationConflict when another writer was first
   */
  async take(turn: Turn): Promise<number> {
    const state = this.#admission.state;
    if (state === undefined || isTerminal(state)) {
      throw new A2AError("UNSUPPORTED_OPERATION", "The task has ended and takes no further messages");
    }
    const asked = this.#inbox.awaited || isInterrupted(state);
    if (this.#busy && !asked && this.#around.agent.followUps === "refuse") {
      throw new A2AError("UNSUPPORTED_OPERATION", "The task is being worked on and takes no message now");
    }
    const resumed = isInterrupted(state) ? "TASK_STATE_WORKING" : state;
    const event = this.#admission.status({ status: { state: resumed } });
    const generation = this.#writer.write({ event, message: turn.message });
    this.#inbox.put(turn);
    await this.#writer.durable(generation);
    return generation;
  }

  /**
   * Ends the task as CANCELED and tells the executor to stop; what it still yields is dropped (OP-CANCEL-07).
   * @throws A2AError TASK_NOT_CANCELABLE when it has reached another end first
   */
  async cancel(): Promise<void> {
    if (this.#terminal) throw new A2AError("TASK_NOT_CANCELABLE");
    this.#write({ statusUpdate: { status: { state: "TASK_STATE_CANCELED" } } });
    this.#stop.abort("The task was canceled");
    await this.#writer.durable(this.#writer.generation);
  }

  /**
   * Tells the executor to stop because the server does. The task keeps the state that it has.
   * @returns when everything that was yielded before is durable
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stop.abort("The server is stopping");
    await this.#writer.durable(this.#writer.generation).catch(ignore);
  }

  get #terminal(): boolean {
    const state = this.#admission.state;
    return state !== undefined && isTerminal(state);
  }

  /** One run of the executor, from its message to its end, whatever end that is. */
  async #answer(turn: Turn): Promise<void> {
    this.#busy = true;
    try {
      const context = await this.#context(turn);
      const answer = this.#around.agent.execute(context);
      const last = Symbol.asyncIterator in answer ? await this.#drain(answer, turn) : await answer;
      if (last !== undefined) this.#admit(last, turn);
      if (this.#admission.state !== undefined) return;
      if (this.#reply !== undefined) this.#settle.resolve({ reply: this.#reply });
      else throw new UpdateRefused("The executor ended without a task or a message");
    } catch (error) {
      this.#fail(error, turn);
    } finally {
      this.#busy = false;
      this.#inbox.close();
    }
  }

  async #drain(updates: AsyncIterable<Update>, turn: Turn): Promise<Reply | undefined> {
    const iterator: AsyncIterator<Update, Reply | undefined> = updates[Symbol.asyncIterator]();
    let count = 0;
    let step = await iterator.next();
    while (!step.done) {
      if (this.#terminal || this.#stopped) {
        this.#around.logger.warn(
          { taskId: this.log.taskId },
          "An update after the end of the task was dropped",
        );
        await iterator.return?.();
        return undefined;
      }
      step = await this.#step(iterator, step.value, turn);
      if (this.#writer.backlog > BACKLOG) await this.#writer.durable(this.#writer.generation - BACKLOG / 2);
      count += 1;
      if (count % TURN === 0) await setImmediate();
    }
    return step.value ?? undefined;
  }

  /** Admits one update and moves the executor on; a refusal is thrown at the yield that caused it. */
  #step(iterator: AsyncIterator<Update, Reply | undefined>, update: Update, turn: Turn) {
    try {
      this.#admit(update, turn);
    } catch (error) {
      if (iterator.throw === undefined) throw error;
      return iterator.throw(error);
    }
    return iterator.next();
  }

  #admit(update: Update, turn: Turn): void {
    this.#around.extensions?.checkUpdate(update, turn.call);
    if ("message" in update) {
      if (this.#reply !== undefined) throw new UpdateRefused("The executor gave two messages");
      this.#reply = this.#admission.reply(update);
    } else {
      if (this.#reply !== undefined) throw new UpdateRefused("The executor gave a message and a task");
      this.#write(update, turn.message);
    }
  }

  #write(update: Exclude<Update, Reply>, opening?: Message): void {
    const made = this.#admission.state === undefined;
    for (const event of this.#admission.events(update, opening)) {
      if (event.artifactUpdate !== undefined) this.#noteArtifact(event.artifactUpdate);
      this.#writer.write({ event });
    }
    if (made) {
      this.#writer.durable(1).then(() => this.#settle.resolve({ generation: 1 }), this.#settle.reject);
    }
  }

  /** An append to an artifact that is not there makes it; most likely the executor has mixed up its ids (ART-04). */
  #noteArtifact({ artifact: { artifactId }, append }: TaskArtifactUpdateEvent): void {
    if (append && !this.#artifactIds.has(artifactId)) {
      this.#around.logger.warn({ taskId: this.log.taskId, artifactId }, "An append made a new artifact");
    }
    this.#artifactIds.add(artifactId);
  }

  /** An executor that ends while its task is under way has done the work. */
  #complete({ message }: Turn): void {
    const state = this.#admission.state;
    if (state === undefined || isTerminal(state) || isInterrupted(state) || this.#stopped) return;
    this.#write({ statusUpdate: { status: { state: "TASK_STATE_COMPLETED" } } }, message);
  }

  #fail(error: unknown, { message }: Turn): void {
    const { taskId } = this.log;
    if (this.#terminal || this.#stopped) {
      this.#around.logger.debug({ err: error, taskId }, "The executor threw after the end of the task");
      return;
    }
    if (this.#admission.state === undefined) {
      const answer = error instanceof UpdateRefused ? error.answer() : A2AError.from(error);
      if (answer.code !== "INTERNAL_ERROR") {
        this.#settle.reject(answer);
        return;
      }
    }
    this.#around.logger.error({ err: error, taskId }, "The executor failed");
    this.#write(failed("The agent could not do this because of an internal error."), message);
  }

  async #context(turn: Turn): Promise<RunContext> {
    const { store, scope, taskId } = this.log;
    const { contextId } = this.#around;
    // A run that makes its task has nothing to look up.
    const snapshot = this.#admission.state === undefined ? undefined : await store.load(scope, taskId);
    return new RunContext(turn, {
      identity: { taskId, contextId },
      task: snapshot?.task,
      stop: this.#stop,
      inbox: this.#inbox,
    });
  }
}
