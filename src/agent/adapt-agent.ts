import {
  type AgentUpdate,
  type ArtifactPiece,
  partsOf,
  type Reading,
  readUpdate,
  type StatusDictionary,
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
 * Makes an executor of an object with `invoke` or `stream`; `stream` is used when it has both. The query is the text of the
 * message, the context id names the conversation and fits as the key of the agent's own memory.
 *
 * Progress becomes status messages. The content of a result becomes an artifact named `result` before the task completes;
 * artifacts that the agent names itself are chunks of their own. An update of a wrong shape fails the task, and the log says
 * which member it was.
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
  return async function* ({ text, contextId, signal }: ExecutionContext): AsyncGenerator<Update, void> {
    const writers = new Map<string, ArtifactWriter>();
    if (agent.stream === undefined) {
      const reading = readUpdate(await agent.invoke?.(text, contextId, { signal }));
      yield* updates(reading.verdict === "progress" ? { ...reading, verdict: "done" } : reading, writers);
      return;
    }
    for await (const update of agent.stream(text, contextId, { signal })) {
      const reading = readUpdate(update);
      yield* updates(reading, writers);
      if (reading.verdict !== "progress") return;
    }
  };
}

const builders = { progress: working, requireInput: inputRequired, error: failed };

function* updates({ parts, verdict, artifact: piece }: Reading, writers: Map<string, ArtifactWriter>) {
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
