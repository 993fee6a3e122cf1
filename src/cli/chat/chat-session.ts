import type { Client } from "../../client/client.js";
import { nearestName } from "../../json/unknown-name.js";
import { isInterrupted, isSettled } from "../../protocol/lifecycle.js";
import { userMessage } from "../../protocol/messages.js";
import type { Part, Received, StreamResponse, Task } from "../../protocol/model.js";
import { textPart } from "../../protocol/parts.js";
import type { CommandCall } from "../command.js";
import { hasColours } from "../diagnostics.js";
import { failureOf } from "../failure.js";
import { messageParts } from "../message-parts.js";
import { untilDone } from "../send-message.js";
import { writeTask } from "../text/write-task.js";
import { Transcript } from "./transcript.js";

/** Prompts by the state of the task that waits; `> ` otherwise. */
const prompts: Partial<Record<string, string>> = {
  TASK_STATE_INPUT_REQUIRED: "answer> ",
  TASK_STATE_AUTH_REQUIRED: "authorize> ",
};

/** A command of the chat; its name follows a slash. */
interface ChatCommand {
  readonly takes?: string;
  readonly help: string;
  run(session: ChatSession, argument: string): void | Promise<void>;
}

/** A conversation with an agent at a terminal: its context, the task that waits, and the files for the next message. */
export class ChatSession {
  readonly call: CommandCall;
  readonly client: Client;
  readonly #transcript: Transcript;
  #contextId: string | undefined;
  #task: Received<Task> | undefined;
  #files: Part[] = [];
  #turn: AbortController | undefined;
  #hasLeft = false;

  constructor(call: CommandCall, client: Client, contextId: string | undefined) {
    this.call = call;
    this.client = client;
    this.#contextId = contextId;
    this.#transcript = new Transcript(
      (text) => call.io.out(text),
      hasColours(call.io, call.io.isOutputTerminal),
    );
  }

  get contextId(): string | undefined {
    return this.#contextId;
  }

  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  get prompt(): string {
    const waiting = this.#waiting;
    return (waiting && prompts[waiting.status.state]) ?? "> ";
  }

  /** Handles a line: a command of the chat, a message, or an answer to the task that waits. `//` sends a message that begins with a slash. */
  async handle(line: string): Promise<void> {
    try {
      if (/^\/(?!\/)/.test(line)) await this.#command(line);
      else if (line.trim() !== "" || this.#files.length > 0) await this.#send(line.replace(/^\/\//, "/"));
      // An empty answer to AUTH_REQUIRED means that the user has authorized the agent elsewhere.
      else if (this.#waiting?.status.state === "TASK_STATE_AUTH_REQUIRED") await this.#follow(this.#waiting);
    } catch (error) {
      this.#transcript.endLine();
      if (this.call.signal.aborted) throw error;
      const { message, code, hint } = failureOf(error, { hasCredentials: true });
      this.call.notes.error(`${message} (${code})`);
      if (hint !== undefined) this.call.notes.hint(hint);
    }
  }

  /**
   * Cancels the running turn.
   * @returns false if no turn is running, or if it is being canceled already
   */
  interrupt(): boolean {
    if (this.#turn === undefined || this.#turn.signal.aborted) return false;
    this.#turn.abort();
    return true;
  }

  async #command(line: string): Promise<void> {
    const [word = "", ...rest] = line.slice(1).trim().split(/\s+/);
    const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
    if (command !== undefined) return command.run(this, line.slice(1).trim().slice(word.length).trim());
    const meant = nearestName(word, Object.keys(commands));
    const question = meant === undefined ? "/help lists the commands" : `did you mean /${meant}?`;
    const message = [`/${word}`, ...rest].join(" ");
    this.call.notes.warn(`there is no /${word}; ${question} //${message.slice(1)} sends it as a message`);
    return undefined;
  }

  async #send(text: string): Promise<void> {
    const parts = [...(text.trim() === "" ? [] : [textPart(text)]), ...this.#files];
    const waiting = this.#waiting;
    const target = {
      ...(this.#contextId !== undefined && { contextId: this.#contextId }),
      ...(waiting !== undefined && { taskId: waiting.id }),
    };
    const request = { message: userMessage(parts, target) };
    await this.#run(async (signal) => {
      if (this.client.card.capabilities.streaming === true)
        await this.#read(this.client.sendStreamingMessage(request, { signal, fallback: true }), waiting);
      else this.#receive(await untilDone({ ...this.call, signal }, this.client, request));
      this.#files = [];
    });
  }

  /** Follows a task until it settles again. */
  async #follow(task: Received<Task>): Promise<void> {
    await this.#run(async (signal) => {
      const { state } = (await this.client.getTask({ id: task.id }, { signal })).status;
      if (isSettled(state)) this.#receive({ task: await this.client.getTask({ id: task.id }, { signal }) });
      else
        await this.#read(this.client.subscribeToTask({ id: task.id }, { signal, fallback: true }), undefined);
      if (this.#waiting !== undefined) this.call.notes.hint("the task is still waiting");
    });
  }

  async #read(
    stream: AsyncIterable<Received<StreamResponse>> & { readonly task: Received<Task> | undefined },
    before?: Received<Task>,
  ) {
    for await (const event of stream) {
      this.#transcript.event(event);
      this.#remember(event, stream.task);
      // Agents may keep a stream open while a task waits. The first event may still show the state before the answer.
      const state = event.statusUpdate?.status.state ?? (before === undefined && event.task?.status.state);
      if (state && isInterrupted(state)) break;
    }
  }

  #receive(response: Received<StreamResponse>): void {
    this.#transcript.event(response);
    this.#remember(response, response.task);
  }

  #remember({ message }: Received<StreamResponse>, task: Received<Task> | undefined): void {
    if (task !== undefined) this.#task = task;
    this.#contextId = task?.contextId ?? message?.contextId ?? this.#contextId;
  }

  /** Runs a turn, which {@link interrupt} can end. The task of an interrupted turn is canceled, if the agent has named it. */
  async #run(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const turn = new AbortController();
    const before = this.#task?.id;
    this.#turn = turn;
    try {
      await work(AbortSignal.any([turn.signal, this.call.signal]));
      this.#transcript.endLine();
    } catch (error) {
      if (!turn.signal.aborted) throw error;
      this.#transcript.endLine();
      const task = this.#task;
      if (task !== undefined && (task.id !== before || !isSettled(task.status.state))) await this.cancel();
      else
        this.call.notes.warn("interrupted; the agent has not named a task yet, so it may still be working");
    } finally {
      this.#turn = undefined;
    }
  }

  /** The task that waits for its caller. */
  get #waiting(): Received<Task> | undefined {
    return this.#task !== undefined && isInterrupted(this.#task.status.state) ? this.#task : undefined;
  }

  /** Cancels the last task. */
  async cancel(): Promise<void> {
    if (this.#task === undefined) return this.call.notes.hint("there is no task yet");
    const { signal } = this.call;
    this.#receive({ task: await this.client.cancelTask({ id: this.#task.id }, { signal }) });
    return this.#transcript.endLine();
  }

  /** Starts a new conversation: forgets context, task and files. */
  renew(): void {
    this.#contextId = undefined;
    this.#task = undefined;
    this.#files = [];
  }

  /** Shows the last task as it is now. */
  async show(): Promise<void> {
    if (this.#task === undefined) return this.call.notes.hint("there is no task yet");
    const task = await this.client.getTask({ id: this.#task.id }, { signal: this.call.signal });
    this.#task = task;
    return this.call.output.page((page) => writeTask(page, task));
  }

  /** Adds a file to the next message. */
  async attach(path: string): Promise<void> {
    const [part] = await messageParts([{ flag: "file", value: path }], this.call.io);
    if (part !== undefined) this.#files.push(part);
    this.call.notes.hint(`the next message has ${this.#files.map(({ filename }) => filename).join(", ")}`);
  }

  leave(): void {
    this.#hasLeft = true;
  }

  help(): void {
    const rows = Object.entries(commands).map(
      ([name, { takes, help }]) => [`/${name}${takes ? ` ${takes}` : ""}`, help] as const,
    );
    const lines = [...rows, ["Ctrl+C", "Cancel the running turn; leave if none is running"] as const];
    this.call.io.out(lines.map(([left, right]) => `  ${left.padEnd(12)}  ${right}\n`).join(""));
  }
}

const commands: Readonly<Record<string, ChatCommand>> = {
  new: { help: "Start a new conversation", run: (session) => session.renew() },
  cancel: { help: "Cancel the last task", run: (session) => session.cancel() },
  task: { help: "Show the last task with its artifacts", run: (session) => session.show() },
  file: {
    takes: "PATH",
    help: "Send a file or URL with the next message",
    run: (session, path) => session.attach(path),
  },
  help: { help: "Show this list", run: (session) => session.help() },
  exit: { help: "Leave, as Ctrl+D does", run: (session) => session.leave() },
};
