import { textPart } from "../protocol/parts.js";
import {
  type AgentUpdate,
  type ArtifactPiece,
  partsOf,
  readUpdate,
  type StatusDictionary,
  type UpdateReading,
} from "./agent-update.js";
import type { ExecutionContext, Executor } from "./executor.js";
import {
  type ArtifactUpdate,
  type ArtifactWriter,
  artifact,
  completed,
  failed,
  inputRequired,
  type Update,
  working,
} from "./updates.js";

/** What is handed over beside query and context id. */
export interface InvocationOptions {
  /** Aborts when the task is canceled and when the server stops. */
  readonly signal: AbortSignal;
}

/** An agent as many frameworks shape it. One of the two methods is enough. */
export interface InvocableAgent {
  /** Answers at once. What it returns is the end of the run, whether it says `done` or not. */
  invoke?(
    query: string,
    contextId: string,
    options: InvocationOptions,
  ): Promise<AgentUpdate | StatusDictionary> | AgentUpdate | StatusDictionary;
  /** Answers bit by bit. The first update that is done, asks, or tells of an error is the last that is read. */
  stream?(
    query: string,
    contextId: string,
    options: InvocationOptions,
  ): AsyncIterable<AgentUpdate | StatusDictionary>;
}

/**
 * Makes an executor of an object with `invoke` or `stream`. When it has both, `stream` answers callers who read a stream, and
 * `invoke` all others. The query is the text of the message, the context id names the conversation and fits as the key of
 * the agent's own memory.
 *
 * The task is made before the agent is called, as such agents take their time; `tasks` in the agent's definition changes that.
 * Progress becomes status messages. The content of a result becomes an artifact named `result` before the task completes;
 * artifacts that the agent names itself are chunks of their own. An update of a wrong shape fails the task: its status message
 * and the log say which member it was and what would be right.
 *
 * @example
 * const agent = defineAgent({ card, execute: adaptAgent({ invoke: async (query) => ({ text: await ask(query), done: true }) }) });
 *
 * @throws TypeError when the object has neither method
 */
export function adaptAgent(agent: InvocableAgent): Executor {
  if (typeof agent.stream !== "function" && typeof agent.invoke !== "function") {
    throw new TypeError("An agent to adapt needs a method `invoke` or `stream`");
  }
  const execute = async function* (context: ExecutionContext): AsyncGenerator<Update, void> {
    const { text, contextId, signal, call } = context;
    const writers = new Map<string, ArtifactWriter>();
    if (agent.stream === undefined || (agent.invoke !== undefined && !call.streaming)) {
      const { verdict, ...said } = reading(await agent.invoke?.(text, contextId, { signal }), context);
      yield* updates({ ...said, verdict: verdict === "progress" ? "done" : verdict }, writers);
      return;
    }
    for await (const update of agent.stream(text, contextId, { signal })) {
      const said = reading(update, context);
      yield* updates(said, writers);
      if (said.verdict !== "progress") return;
    }
  };
  return Object.assign(execute, { tasks: "always" } as const);
}

/** What an update says; one that cannot be read is an error of the agent, of which the caller is told what is wrong. */
function reading(update: unknown, { taskId, call }: ExecutionContext): UpdateReading {
  try {
    return readUpdate(update);
  } catch (err) {
    if (!(err instanceof TypeError)) throw err;
    call.logger.error({ err, taskId }, "An adapted agent gave an update that cannot be read");
    return {
      parts: [textPart(`The agent gave an answer that cannot be read: ${err.message}`)],
      verdict: "error",
    };
  }
}

const builders = { progress: working, requireInput: inputRequired, error: failed };

function* updates({ parts, verdict, artifact: piece }: UpdateReading, writers: Map<string, ArtifactWriter>) {
  if (piece) yield chunk(piece, writers);
  if (verdict === "done") {
    if (parts.length > 0) yield artifact({ name: "result" }).parts(parts, true);
    yield completed();
  } else if (parts.length > 0) {
    yield builders[verdict](parts);
  } else if (verdict === "error") {
    yield failed();
  } else if (!piece) {
    yield working();
  }
}

function chunk(
  { text, data, last, ...head }: ArtifactPiece,
  writers: Map<string, ArtifactWriter>,
): ArtifactUpdate {
  const { artifactId, name = "" } = head;
  const key = artifactId === undefined ? `name ${name}` : `id ${artifactId}`;
  const writer = writers.get(key) ?? artifact(head);
  writers.set(key, writer);
  return writer.parts(partsOf([text], data), last);
}
