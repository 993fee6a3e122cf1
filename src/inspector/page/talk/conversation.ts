import { type Signal, signal } from "@preact/signals";
import type { Client } from "../../../client/client.js";
import { connect } from "../../../client/connect.js";
import { userMessage } from "../../../protocol/messages.js";
import type {
  AgentInterface,
  Part,
  Received,
  SendMessageConfiguration,
  SendMessageResponse,
  StreamResponse,
  Task,
} from "../../../protocol/model.js";
import { absoluteInterface } from "../session/absolute-interface.js";
import { agentFetch } from "../session/agent-fetch.js";
import { agentUrl } from "../session/agent-url.js";
import { currentAgent, optionsFor, problemOf } from "../session/current-agent.js";
import { Line } from "./line.js";
import { turnsToDrop } from "./room.js";
import { type AnswerMode, LiveTurn, taskIdOf } from "./turn.js";

/** A turn that runs or has run in this page, and what ends it. */
export interface OpenTurn {
  readonly turn: LiveTurn;
  readonly line: Line;
  /** Stops reading. The task goes on. */
  readonly stop: () => void;
  /** Stops reading, because a later turn reads the same task. */
  readonly handOver: () => void;
}

/** Messages, tasks and answers of one context. */
export interface Talk {
  readonly id: number;
  readonly turns: Signal<readonly OpenTurn[]>;
  /** Number of the oldest turns that are no longer kept. */
  readonly dropped: Signal<number>;
  /** Given by the agent with its first answer. */
  readonly contextId: Signal<string | undefined>;
}

let count = 0;

function begun(): Talk {
  count += 1;
  return { id: count, turns: signal([]), dropped: signal(0), contextId: signal(undefined) };
}

const first = begun();

/** The conversations with the agent that is open, the oldest first. */
export const conversations = signal<readonly Talk[]>([first]);

/** The conversation on the screen. */
export const currentConversation = signal<Talk>(first);

/** Begins a new conversation. One that is empty is used again. */
export function newConversation(): void {
  const empty = conversations.value.find(({ turns }) => turns.value.length === 0);
  const next = empty ?? begun();
  if (empty === undefined) conversations.value = [...conversations.value, next];
  currentConversation.value = next;
}

// Conversations belong to an agent.
agentUrl.subscribe(() => {
  for (const { stop } of conversations.peek().flatMap(({ turns }) => turns.peek())) stop();
  const next = begun();
  conversations.value = [next];
  currentConversation.value = next;
});

/** A message to send. */
export interface TalkMessage {
  readonly parts: readonly Part[];
  /** The task to continue; a new one without it. */
  readonly taskId?: string | undefined;
  readonly mode: AnswerMode;
  readonly agentInterface?: AgentInterface | undefined;
  readonly metadata?: { readonly [key: string]: unknown } | undefined;
  readonly configuration?: SendMessageConfiguration | undefined;
}

let turnCount = 0;

/** Sends a message in the current conversation. What comes back is in the turn that is added to it. */
export function sendInConversation({ parts, taskId, mode, metadata, ...rest }: TalkMessage): void {
  const conversation = currentConversation.peek();
  const contextId = conversation.contextId.peek();
  const message = userMessage(parts, {
    ...(contextId !== undefined && { contextId }),
    ...(taskId !== undefined && { taskId }),
    ...(metadata !== undefined && { metadata: { ...metadata } }),
  });
  const configuration = { ...rest.configuration, ...(mode === "return" && { returnImmediately: true }) };
  const request = { message, configuration };
  begin(conversation, { message, taskId, mode, agentInterface: rest.agentInterface }, (client, signal) =>
    mode === "stream"
      ? client.sendStreamingMessage(request, { signal, fallback: true })
      : once(client.sendMessage(request, { signal })),
  );
}

/** Subscribes to a task of the current conversation. */
export function followTask(taskId: string): void {
  begin(
    currentConversation.peek(),
    { message: undefined, taskId, mode: "subscribe", agentInterface: undefined },
    (client, signal) => client.subscribeToTask({ id: taskId }, { signal, fallback: true }),
  );
}

/**
 * Asks the agent to cancel a task.
 * @returns what the agent has refused; undefined when the task is canceled
 */
export async function cancelTask({ id }: Pick<Task, "id">): Promise<string | undefined> {
  const conversation = currentConversation.peek();
  const open = conversation.turns.peek().findLast(({ turn }) => taskIdOf(turn) === id);
  try {
    const client = await clientOn(new Line({ send: sendTo(), onChange: () => undefined }), undefined);
    const task = await client.cancelTask({ id });
    // A turn whose stream has ended does not hear of it.
    if (open !== undefined && open.turn.endedAt !== undefined) {
      open.turn.foldedTask = () => task;
      open.turn.add({ task });
    }
    return undefined;
  } catch (error) {
    return problemOf(error);
  }
}

type Source = AsyncIterable<Received<StreamResponse>> & { readonly task?: Received<Task> | undefined };

interface TurnAbout {
  readonly message: LiveTurn["message"];
  readonly taskId: string | undefined;
  readonly mode: LiveTurn["mode"];
  readonly agentInterface: AgentInterface | undefined;
}

function begin(
  conversation: Talk,
  about: TurnAbout,
  open: (client: Client, signal: AbortSignal) => Source,
): void {
  const agent = currentAgent.peek();
  if (agent.status !== "open") return;
  const leaving = new AbortController();
  turnCount += 1;
  const line = new Line({ send: sendTo(), onChange: () => turn.changed() });
  const agentInterface = about.agentInterface ?? agent.client.agentInterface;
  const turn = new LiveTurn({ ...about, id: turnCount, agentInterface, connections: line.connections });
  const stop = () => leaving.abort(new Error("You have stopped reading. The task goes on"));
  const handOver = () => leaving.abort();
  conversation.turns.value = [...conversation.turns.peek(), { turn, line, stop, handOver }];
  makeRoom();
  const run = async () => {
    try {
      const client = await clientOn(line, agentInterface);
      await read(turn, open(client, leaving.signal), conversation);
      turn.end();
    } catch (error) {
      const isHandedOver = leaving.signal.aborted && leaving.signal.reason instanceof DOMException;
      turn.end(isHandedOver ? undefined : problemOf(error));
    }
  };
  void run();
}

async function read(turn: LiveTurn, source: Source, { contextId, turns }: Talk): Promise<void> {
  let counted = 0;
  for await (const event of source) {
    if (event.message !== undefined) turn.reply = event.message;
    const context = contextOf(event);
    if (context !== undefined && contextId.peek() === undefined) contextId.value = context;
    if (turn.events.length === 0 && (turn.mode === "stream" || turn.mode === "subscribe"))
      for (const earlier of readersOf(turn, turns.peek())) earlier.handOver();
    turn.foldedTask = () => source.task ?? event.task;
    turn.add(event);
    if (turn.held - counted < STEP) continue;
    counted = turn.held;
    makeRoom();
  }
}

/** Characters by which a turn grows before room is made again. */
const STEP = 1024 * 1024;

/** Leaves out the oldest turns when there are too many, or too large ones. A conversation without turns leaves with them. */
function makeRoom(): void {
  const all = conversations.peek();
  const current = currentConversation.peek();
  const turns = all.flatMap((talk) => talk.turns.peek().map(({ turn }) => turn));
  const dropped = turnsToDrop(turns, current.turns.peek().at(-1)?.turn.id);
  if (dropped.size === 0) return;
  for (const talk of all) {
    const before = talk.turns.peek();
    const left = before.filter(({ turn }) => !dropped.has(turn.id));
    if (left.length === before.length) continue;
    talk.dropped.value += before.length - left.length;
    talk.turns.value = left;
  }
  conversations.value = all.filter(
    (talk) => talk === current || talk.dropped.peek() === 0 || talk.turns.peek().length > 0,
  );
}

/** Earlier turns that still read the task of a turn. */
function readersOf({ id, taskId }: LiveTurn, turns: readonly OpenTurn[]): readonly OpenTurn[] {
  if (taskId === undefined) return [];
  return turns.filter(({ turn }) => turn.id < id && turn.endedAt === undefined && taskIdOf(turn) === taskId);
}

function contextOf({
  task,
  message,
  statusUpdate,
  artifactUpdate,
}: Received<StreamResponse>): string | undefined {
  return (task ?? message ?? statusUpdate ?? artifactUpdate)?.contextId || undefined;
}

async function* once(
  answer: Promise<Received<SendMessageResponse>>,
): AsyncGenerator<Received<StreamResponse>> {
  const { task, message } = await answer;
  yield task === undefined ? { message } : { task };
}

function sendTo() {
  const agent = agentUrl.peek() ?? "";
  return (onExchange: (id: number) => void, over?: "GRPC") =>
    agentFetch({ agent, onExchange, ...(over !== undefined && { over }) });
}

/** A client whose calls go over a line of their own. */
function clientOn(line: Line, agentInterface: AgentInterface | undefined): Promise<Client> {
  const agent = currentAgent.peek();
  if (agent.status !== "open") throw new Error("No agent is open");
  const { card, client, url } = agent;
  const entry = agentInterface ?? client.agentInterface;
  const { grpc, ...options } = optionsFor(url);
  return connect(
    { ...card, supportedInterfaces: [absoluteInterface(entry, url)] },
    {
      ...options,
      fetch: line.fetch,
      ...(grpc !== undefined && { grpc: { wrap: () => line.grpcFetch } }),
    },
  );
}
