import type { ExecutionContext, Executor } from "../agent/executor.js";
import type { Update } from "../agent/updates.js";
import { argumentError } from "../protocol/argument.js";
import type { ExchangeTimes, RecordedExchange } from "../recording/recorded-exchange.js";
import { withRequestId } from "../recording/with-request-id.js";
import { urlWithoutCredentials } from "../recording/without-credentials.js";

/**
 * The steps of an executor for one message, in order: an update, which is yielded, or a function that is called with the context and
 * awaited, and whose result is yielded if it is an update.
 */
export type ScriptedTurn = readonly (
  | Update
  | ((context: ExecutionContext) => Update | void | Promise<Update | void>)
)[];

/** An executor that follows a script and records its calls. */
export interface ScriptedExecutor {
  readonly execute: Executor;
  /** The context of each run, in order. */
  readonly calls: readonly ExecutionContext[];
}

/**
 * Creates an executor for tests of clients and of agents that call agents. The first message of a task gets the first turn, the second
 * message the second one, and so on; the last turn is repeated.
 *
 * @throws TypeError for a script without a turn, and for a turn that is not a list
 * @example
 * ```ts
 * const { execute, calls } = scripted([inputRequired("Which one?")], [artifact().text("blue"), completed()]);
 * ```
 */
export function scripted(...turns: readonly ScriptedTurn[]): ScriptedExecutor {
  if (turns.length === 0) throw new TypeError("A script needs at least one turn");
  for (const turn of turns)
    if (!Array.isArray(turn))
      throw argumentError("scripted needs each turn as a list, such as [completed()]", turn);
  const calls: ExecutionContext[] = [];
  const taken = new Map<string, number>();
  async function* execute(context: ExecutionContext): AsyncGenerator<Update, void> {
    calls.push(context);
    const turn = taken.get(context.taskId) ?? 0;
    taken.set(context.taskId, turn + 1);
    for (const step of turns[Math.min(turn, turns.length - 1)] ?? []) {
      const update = typeof step === "function" ? await step(context) : step;
      context.signal.throwIfAborted();
      // A step without a result returns void, which the compiler does not exclude.
      if (update !== undefined) yield update as Update;
    }
  }
  return { execute, calls };
}

/** A running recording. */
export interface Recording {
  /** Pass it to a client as `fetch`. */
  readonly fetch: typeof fetch;
  /** The exchanges so far. */
  readonly exchanges: readonly RecordedExchange[];
}

/** Response headers that are recorded, because clients read them. */
const RECORDED_HEADERS = [
  "content-type",
  "a2a-extensions",
  "retry-after",
  "www-authenticate",
  "etag",
  "cache-control",
];

/**
 * Creates a `fetch` that records every exchange of a client with an agent, for {@link replay}. Of the request headers it records only
 * `Content-Type`. Bodies and URLs can contain credentials: write files with `writeRecording`, which removes those with a known name and
 * those that you list in `secrets`, and the whole bodies of forms, such as requests for tokens, and of their responses.
 * @param send sends the requests; the platform's `fetch` by default
 *
 * @example
 * ```ts
 * const recording = record();
 * const client = await connect(url, { fetch: recording.fetch });
 * ```
 */
export function record(send: typeof fetch = fetch): Recording {
  if (typeof send !== "function")
    throw argumentError("record needs a function that sends requests, such as fetch, or nothing", send);
  const exchanges: RecordedExchange[] = [];
  const begun = performance.now();
  const recorded: typeof fetch = async (input, init) => {
    const asked = new Request(input, init);
    const request = await asked.clone().text();
    const type = asked.headers.get("content-type");
    const started = performance.now();
    const response = await send(asked);
    const clock = () => performance.now() - started;
    const headers = RECORDED_HEADERS.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    const pieces: [at: number, length: number][] = [];
    const times: Writable<ExchangeTimes> = { started: started - begun, answered: clock(), pieces };
    const exchange: RecordedExchange = {
      ...{ method: asked.method, url: asked.url, request, status: response.status, answer: "" },
      headers: Object.fromEntries(headers),
      ...(type !== null && { requestHeaders: { "content-type": type } }),
      times,
    };
    exchanges.push(exchange);
    if (response.body === null) return response;
    const decoder = new TextDecoder();
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          exchange.answer += decoder.decode(chunk, { stream: true });
          pieces.push([clock(), exchange.answer.length]);
          controller.enqueue(chunk);
        },
        flush() {
          times.ended = clock();
        },
      }),
    );
    return new Response(body, response);
  };
  return { fetch: recorded, exchanges };
}

type Writable<Value> = { -readonly [Name in keyof Value]: Value[Name] };

/**
 * Creates a `fetch` that answers from a recording, without an agent. Each request gets the next recorded response for its HTTP method,
 * URL and JSON-RPC method; the id in a JSON-RPC response is adapted to the request.
 *
 * @returns a `fetch` for a client, which throws a TypeError for a request without a recorded response
 * @throws TypeError for what is not a list
 * @example
 * ```ts
 * const client = await connect(url, { fetch: replay(recording.exchanges) });
 * ```
 */
export function replay(exchanges: readonly RecordedExchange[]): typeof fetch {
  if (!Array.isArray(exchanges))
    throw argumentError(
      "replay needs a list of exchanges, such as those of record() or of readRecording(text)",
      exchanges,
    );
  const left = [...exchanges];
  return async (input, init) => {
    const asked = new Request(input, init);
    const request = await asked.text();
    const wanted = keyOf({ method: asked.method, url: asked.url, request });
    const place = left.findIndex((exchange) => keyOf(exchange) === wanted);
    const [found] = place < 0 ? [] : left.splice(place, 1);
    if (found === undefined) throw new TypeError(`Nothing was recorded for ${wanted}`);
    const [was, is] = [idOf(found.request), idOf(request)];
    const answer =
      was === undefined || is === undefined ? found.answer : withRequestId(found.answer, was, is);
    const isEmpty = found.status === 204 || found.status === 304;
    return new Response(isEmpty ? null : answer, { status: found.status, headers: found.headers });
  };
}

function keyOf({ method, url, request }: Pick<RecordedExchange, "method" | "url" | "request">): string {
  const called: unknown = parsed(request)?.method;
  return `${method} ${urlWithoutCredentials(url)}${typeof called === "string" ? ` ${called}` : ""}`;
}

/** The id of a JSON-RPC request, as JSON; undefined for a notification and for another request. */
function idOf(request: string): string | undefined {
  const { jsonrpc, id } = parsed(request) ?? {};
  return jsonrpc === undefined ? undefined : JSON.stringify(id);
}

interface ParsedRequest {
  readonly jsonrpc?: unknown;
  readonly method?: unknown;
  readonly id?: unknown;
}

function parsed(text: string): ParsedRequest | undefined {
  try {
    return Object(JSON.parse(text)) as ParsedRequest;
  } catch {
    return undefined;
  }
}
