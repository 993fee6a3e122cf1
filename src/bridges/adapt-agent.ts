import type { ExecutionContext, Executor } from "../agent/executor.js";
import {
  type ArtifactUpdate,
  type ArtifactWriter,
  artifact,
  completed,
  failed,
  inputRequired,
  type Update,
  working,
} from "../agent/updates.js";
import { argumentError } from "../protocol/argument.js";
import { textPart } from "../protocol/parts.js";
import {
  type AgentUpdate,
  type ArtifactPiece,
  partsOf,
  readUpdate,
  type StatusDictionary,
  type UpdateReading,
} from "./agent-update.js";

/** What an adapted agent receives besides the query and the context id. */
export interface InvocationOptions {
  /** {@link ExecutionContext.signal}: aborts when the task is canceled, when the server stops, and in the other cases named there. */
  readonly signal: AbortSignal;
}

/** An agent in the shape that many frameworks use. One of the two methods is enough. */
export interface InvocableAgent {
  /** Answers with one update. It ends the run, with or without `done`. */
  invoke?(
    query: string,
    contextId: string,
    options: InvocationOptions,
  ): Promise<AgentUpdate | StatusDictionary> | AgentUpdate | StatusDictionary;
  /**
   * Answers with several updates. The first one with `done`, `requireInput` or `error` is the last one that is read. If none has one of
   * these, the end of the iteration completes the task.
   */
  stream?(
    query: string,
    contextId: string,
    options: InvocationOptions,
  ): AsyncIterable<AgentUpdate | StatusDictionary>;
}

/**
 * Makes an executor from an object with `invoke` or `stream`. An object with both answers requests for a stream with
 * `stream` and all others with `invoke`. The query is the text of the message. The context id identifies the
 * conversation and can serve as the key of the agent's own memory.
 *
 * The task is created before the agent is called, because such agents are usually slow, unless the definition has `tasks`, or also
 * has executors or skills that are not adapted. Progress becomes status messages. The content of a result becomes an artifact named `result`
 * before the task completes; pieces in `artifact` become chunks of other artifacts. An update of the wrong shape fails
 * the task: its status message and the log say what is wrong and what would be valid.
 *
 * @example
 * ```ts
 * const agent = defineAgent({
 *   card,
 *   execute: adaptAgent({ invoke: async (query) => ({ text: await chat(query), done: true }) }),
 * });
 * ```
 * @throws TypeError when the object has neither method
 */
export function adaptAgent(agent: InvocableAgent): Executor {
  if (typeof agent?.stream !== "function" && typeof agent?.invoke !== "function") {
    throw argumentError("adaptAgent needs an agent with a method `invoke` or `stream`", agent);
  }
  const execute = async function* (context: ExecutionContext): AsyncGenerator<Update, void> {
    const { text, contextId, signal, call } = context;
    const writers = new Map<string, ArtifactWriter>();
    if (agent.stream === undefined || (agent.invoke !== undefined && !call.streaming)) {
      const { outcome, ...read } = readOrFail(await agent.invoke?.(text, contextId, { signal }), context);
      yield* updates({ ...read, outcome: outcome === "progress" ? "done" : outcome }, writers);
      return;
    }
    for await (const update of agent.stream(text, contextId, { signal })) {
      const read = readOrFail(update, context);
      yield* updates(read, writers);
      if (read.outcome !== "progress") return;
    }
  };
  return Object.assign(execute, { tasks: "always" } as const);
}

/** Reads an update. One that cannot be read is logged and fails the task, with a text that says what is wrong. */
function readOrFail(update: unknown, { taskId, call }: ExecutionContext): UpdateReading {
  try {
    return readUpdate(update);
  } catch (err) {
    if (!(err instanceof TypeError)) throw err;
    call.logger.error({ err, taskId }, "An adapted agent returned an update that cannot be read");
    return {
      parts: [textPart(`The agent returned an answer that cannot be read: ${err.message}`)],
      outcome: "error",
    };
  }
}

const builders = { progress: working, requireInput: inputRequired, error: failed };

function* updates({ parts, outcome, artifact: piece }: UpdateReading, writers: Map<string, ArtifactWriter>) {
  if (piece) yield chunk(piece, writers);
  if (outcome === "done") {
    if (parts.length > 0) yield artifact({ name: "result" }).parts(parts, true);
    yield completed();
  } else if (parts.length > 0) {
    yield builders[outcome](parts);
  } else if (outcome === "error") {
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
