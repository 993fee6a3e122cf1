import { connect as connectTo } from "../../src/client/connect.js";
import type { Client } from "../../src/client/index.js";
import type { ConnectOptions } from "../../src/client/options.js";
import type { AgentCard } from "../../src/protocol/model.js";

/** A request as a scripted agent sees it. */
export interface Seen {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly text: string;
  /** The body, when it is JSON. */
  readonly json: any;
  readonly signal: AbortSignal;
}

/** A `fetch` that a test answers, and what it was asked. */
export interface Scripted {
  readonly fetch: typeof fetch;
  readonly seen: Seen[];
}

type Answer = Response | Promise<Response>;

/** Makes a `fetch` of a function. */
export function scripted(answer: (request: Seen, index: number) => Answer): Scripted {
  const seen: Seen[] = [];
  const script: typeof fetch = async (input, init = {}) => {
    const text = String(init.body ?? "");
    const request: Seen = {
      method: init.method ?? "GET",
      url: new URL(String(input)),
      headers: new Headers(init.headers),
      text,
      json: text.startsWith("{") ? JSON.parse(text) : undefined,
      signal: init.signal ?? new AbortController().signal,
    };
    seen.push(request);
    return aborted(answer(request, seen.length - 1), request.signal);
  };
  return { fetch: script, seen };
}

/** As `fetch` does, fails when the signal is faster. */
function aborted(answer: Answer, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
    Promise.resolve(answer).then(resolve, reject);
  });
}

export const origin = "https://agent.example";

/** A card with both bindings, JSON-RPC first. */
export function cardOf(more: Partial<AgentCard> = {}): AgentCard {
  const entry = { url: `${origin}/a2a`, protocolVersion: "1.0" };
  return {
    name: "Scripted",
    description: "Answers what a test says",
    version: "1",
    supportedInterfaces: [
      { ...entry, protocolBinding: "JSONRPC" },
      { ...entry, protocolBinding: "HTTP+JSON" },
    ],
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
    ...more,
  };
}

/** Connects with options that may hold a whole {@link Scripted}. */
export function connect(
  agent: string | URL | AgentCard,
  { seen: _, ...options }: ConnectOptions & Partial<Scripted> = {},
): Promise<Client> {
  return connectTo(agent, options);
}

/** A client of an agent that a test plays, and what it was asked. */
export async function clientOf(
  answer: (request: Seen, index: number) => Answer,
  { card = cardOf(), ...options }: ConnectOptions & { card?: AgentCard } = {},
): Promise<Scripted & { client: Client }> {
  const script = scripted(answer);
  const client = await connectTo(card, {
    fetch: script.fetch,
    retry: { first: 0 },
    resume: { first: 0 },
    polling: { first: 0 },
    origins: [origin],
    ...options,
  });
  return { ...script, client };
}

/** A JSON answer. */
export function json(value: unknown, init: ResponseInit = {}): Response {
  return new Response(JSON.stringify(value), { headers: { "Content-Type": "application/json" }, ...init });
}

/** A JSON-RPC answer to a request. */
export function result(request: Seen, value: unknown): Response {
  return json({ jsonrpc: "2.0", id: request.json.id, result: value });
}

/** A JSON-RPC error as an answer to a request. */
export function failure(request: Seen, code: number, more: object = {}): Response {
  return json({ jsonrpc: "2.0", id: request.json.id, error: { code, message: "No", ...more } });
}

/** An event stream of the given text; with `end` "open" it is never closed, with "cut" it fails. */
export function eventStream(
  chunks: readonly (string | Uint8Array)[],
  end: "close" | "open" | "cut" = "close",
): Response {
  const encoder = new TextEncoder();
  const parts = [...chunks];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = parts.shift();
      if (part !== undefined) controller.enqueue(typeof part === "string" ? encoder.encode(part) : part);
      else if (end === "close") controller.close();
      else if (end === "cut") controller.error(new TypeError("terminated"));
      else return new Promise(() => undefined);
      return undefined;
    },
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

/** Frames of events for a JSON-RPC stream, numbered from `first` when that is given. */
export function frames(request: Seen, events: readonly object[], first?: number): string[] {
  return events.map((event, index) => {
    const id = first === undefined ? "" : `id: ${first + index}\n`;
    return `${id}data: ${JSON.stringify({ jsonrpc: "2.0", id: request.json.id, result: event })}\n\n`;
  });
}

export const working = { state: "TASK_STATE_WORKING" } as const;
export const completed = { state: "TASK_STATE_COMPLETED" } as const;
export const task = { id: "t", contextId: "c", status: working };

/** An event with a new status. */
export function statusOf(status: object): object {
  return { statusUpdate: { taskId: "t", contextId: "c", status } };
}

/** An event with a chunk of the one artifact. */
export function chunkOf(text: string, append = true): object {
  return {
    artifactUpdate: { taskId: "t", contextId: "c", artifact: { artifactId: "a", parts: [{ text }] }, append },
  };
}
