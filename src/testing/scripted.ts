import type { ExecutionContext, Executor } from "../agent/executor.js";
import type { Reply, Update } from "../agent/updates.js";

/** What an agent does with one message: updates in order, and functions that are awaited or inspect the message. */
export type ScriptedTurn = readonly (
  | Update
  | Reply
  | ((context: ExecutionContext) => Update | void | Promise<Update | void>)
)[];

/** An executor that follows a script and records its calls. */
export interface ScriptedExecutor {
  readonly execute: Executor;
  /** The context of each run, in order. */
  readonly calls: readonly ExecutionContext[];
}

/**
 * Makes an executor for tests of clients and of agents that call agents. The first message of a task gets the first
 * turn, the second message the second one, and so on; the last turn is repeated.
 *
 * @throws TypeError for a script without a turn
 * @example
 * ```ts
 * const { execute, calls } = scripted([inputRequired("Which one?")], [artifact().text("blue"), completed()]);
 * ```
 */
export function scripted(...turns: readonly ScriptedTurn[]): ScriptedExecutor {
  if (turns.length === 0) throw new TypeError("A script needs at least one turn");
  const calls: ExecutionContext[] = [];
  const taken = new Map<string, number>();
  async function* execute(context: ExecutionContext): AsyncGenerator<Update, void> {
    calls.push(context);
    const turn = taken.get(context.taskId) ?? 0;
    taken.set(context.taskId, turn + 1);
    for (const step of turns[Math.min(turn, turns.length - 1)] ?? []) {
      const update = typeof step === "function" ? await step(context) : step;
      context.signal.throwIfAborted();
      if (update !== undefined) yield update as Update;
    }
  }
  return { execute, calls };
}

/** A request and its answer, as plain data that can be stored in a file. Credentials are left out. */
export interface RecordedExchange {
  readonly method: string;
  readonly url: string;
  /** Text of the body; empty without a body. */
  readonly request: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text of the answer; for a stream, all that was read. */
  answer: string;
}

/** A running recording. */
export interface Recording {
  /** Pass it to a client as `fetch`. */
  readonly fetch: typeof fetch;
  /** The exchanges so far. */
  readonly exchanges: readonly RecordedExchange[];
}

/** Response headers that clients read. */
const KEPT = ["content-type", "a2a-extensions", "retry-after", "www-authenticate", "etag", "cache-control"];

/**
 * Records every exchange of a client with an agent, for {@link replay}.
 *
 * @example
 * ```ts
 * const recording = record();
 * const client = await connect(url, { fetch: recording.fetch });
 * ```
 */
export function record(send: typeof fetch = fetch): Recording {
  const exchanges: RecordedExchange[] = [];
  const recorded: typeof fetch = async (input, init) => {
    const asked = new Request(input, init);
    const request = await asked.clone().text();
    const response = await send(asked);
    const headers = KEPT.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    const exchange: RecordedExchange = {
      ...{ method: asked.method, url: asked.url, request, status: response.status, answer: "" },
      headers: Object.fromEntries(headers),
    };
    exchanges.push(exchange);
    if (response.body === null) return response;
    const decoder = new TextDecoder();
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          exchange.answer += decoder.decode(chunk, { stream: true });
          controller.enqueue(chunk);
        },
      }),
    );
    return new Response(body, response);
  };
  return { fetch: recorded, exchanges };
}

/**
 * Answers from a recording, without an agent: each request gets the next recorded answer for its HTTP method, URL and
 * JSON-RPC method. Request ids are adjusted.
 *
 * @returns a `fetch` for a client, which throws for a request without a recorded answer
 * @example
 * ```ts
 * const client = await connect(url, { fetch: replay(recording.exchanges) });
 * ```
 */
export function replay(exchanges: readonly RecordedExchange[]): typeof fetch {
  const left = [...exchanges];
  return async (input, init) => {
    const asked = new Request(input, init);
    const request = await asked.text();
    const wanted = keyOf({ method: asked.method, url: asked.url, request });
    const place = left.findIndex((exchange) => keyOf(exchange) === wanted);
    const [found] = place < 0 ? [] : left.splice(place, 1);
    if (found === undefined) throw new TypeError(`Nothing was recorded for ${wanted}`);
    const [was, is] = [idOf(found.request), idOf(request)];
    const answer = was === is ? found.answer : found.answer.replaceAll(`"id":${was}`, `"id":${is}`);
    const isEmpty = found.status === 204 || found.status === 304;
    return new Response(isEmpty ? null : answer, { status: found.status, headers: found.headers });
  };
}

function keyOf({ method, url, request }: Pick<RecordedExchange, "method" | "url" | "request">): string {
  const called: unknown = parsed(request)?.method;
  return `${method} ${url}${typeof called === "string" ? ` ${called}` : ""}`;
}

/** The id of a JSON-RPC request, as text. */
function idOf(request: string): string {
  return JSON.stringify(parsed(request)?.id) ?? "";
}

function parsed(text: string): { method?: unknown; id?: unknown } | undefined {
  try {
    return Object(JSON.parse(text)) as { method?: unknown; id?: unknown };
  } catch {
    return undefined;
  }
}
