import assert from "node:assert/strict";
import type { TestContext } from "vitest";
import type { CardInput, Executor } from "../../src/index.js";
import type { Received, StreamResponse } from "../../src/protocol/model.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import { type Agents, type ServeOptions, serve } from "../../src/server/index.js";
import { grpcPeer } from "./grpc-peer.js";
import { serveHere } from "./hosts.js";

/** A frame of a stream: what the server wrote behind `id:`, `event:` and `data:`. */
export interface Frame {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: any;
}

type Json = any;

/** The bindings behind one face, so that one test can drive them all. */
export interface Peer {
  readonly binding: "JSONRPC" | "HTTP+JSON" | "GRPC";
  /** Calls an operation; the result, or the error as code word and body. */
  call(operation: string, params?: Json, headers?: Record<string, string>): Promise<Answer>;
  /** Calls a streaming operation and gives its frames as they come; `data` is the StreamResponse or the error. */
  stream(operation: string, params: Json, options?: StreamOptions): AsyncGenerator<Frame>;
}

export interface StreamOptions {
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** The outcome of a call in the words of the protocol, whatever the binding. */
export interface Answer {
  readonly result?: Json;
  /** `reason` of the ErrorInfo. */
  readonly error?: string;
  readonly fields?: string[];
  readonly message?: string;
  readonly metadata?: Json;
  readonly response: Response;
}

/** Serves an agent for one test and closes it afterwards. */
export async function serveFor(
  t: Pick<TestContext, "onTestFinished">,
  agents: Agents,
  options: ServeOptions = {},
) {
  const server = await serveHere(agents, { port: 0, ...options });
  t.onTestFinished(() => server.close());
  return { ...server, rpc: rpcPeer(server.url), rest: restPeer(server.url) };
}

/** Serves an agent for one test over gRPC as well, which another library calls. */
export async function serveGrpc(
  t: Pick<TestContext, "onTestFinished">,
  agents: Agents,
  options: ServeOptions = {},
) {
  const server = await serve(agents, {
    port: 0,
    bindings: ["JSONRPC", "HTTP+JSON", "GRPC"],
    ...options,
  });
  t.onTestFinished(() => server.close());
  const { grpcAddress = "" } = server;
  const grpc = await grpcPeer(t, grpcAddress);
  return { ...server, grpcAddress, grpc, rpc: rpcPeer(server.url), rest: restPeer(server.url) };
}

/** A card that says no more than it must. */
export const plainCard: CardInput = { name: "Test agent", description: "Does what a test wants." };

/** Serves an executor for one test. */
export function serveExecutor(
  t: Pick<TestContext, "onTestFinished">,
  execute: Executor,
  options: ServeOptions = {},
  more: object = {},
) {
  return serveFor(t, { card: plainCard, execute, ...more }, options);
}

/** A request for SendMessage with one part of text. */
export function text(
  words: string,
  more: { message?: object; configuration?: object; metadata?: object } = {},
) {
  const { message, ...rest } = more;
  return {
    message: { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text: words }], ...message },
    ...rest,
  };
}

/** Collects a stream to its end. */
export async function collect(frames: AsyncIterable<Frame>): Promise<Frame[]> {
  const all: Frame[] = [];
  for await (const frame of frames) all.push(frame);
  return all;
}

/** The one member of a stream response that is set. */
export function kindOf(event: Received<StreamResponse>): string {
  return Object.keys(event).join();
}

export function rpcPeer(url: string): Peer {
  let id = 0;
  const post = (method: string, params: Json, { headers = {}, signal }: StreamOptions) =>
    fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "A2A-Version": protocolVersion, ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, ...(params !== undefined && { params }) }),
      ...(signal && { signal }),
    });
  return {
    binding: "JSONRPC",
    async call(operation, params, headers = {}) {
      const response = await post(operation, params, { headers });
      const body: Json = await response.json();
      if ("result" in body) return { result: body.result, response };
      return { ...details(body.error.data), message: body.error.message, response };
    },
    async *stream(operation, params, options = {}) {
      const response = await post(operation, params, options);
      for await (const { data, ...frame } of frames(response))
        yield { ...frame, data: data.result ?? data.error };
    },
  };
}

/** How each operation is called over HTTP+JSON, by hand, so that it does not lean on the table that it tests. */
const routes: Record<string, (params: Json) => [verb: string, path: string, body?: Json]> = {
  SendMessage: (p) => ["POST", "/message:send", p],
  SendStreamingMessage: (p) => ["POST", "/message:stream", p],
  GetTask: ({ id, ...query }) => ["GET", `/tasks/${encodeURIComponent(id)}${search(query)}`],
  ListTasks: (query = {}) => ["GET", `/tasks${search(query)}`],
  CancelTask: ({ id, ...body }) => ["POST", `/tasks/${encodeURIComponent(id)}:cancel`, body],
  SubscribeToTask: ({ id, ...body }) => ["POST", `/tasks/${encodeURIComponent(id)}:subscribe`, body],
  CreateTaskPushNotificationConfig: ({ taskId, ...body }) => [
    "POST",
    `/tasks/${taskId}/pushNotificationConfigs`,
    body,
  ],
  GetTaskPushNotificationConfig: ({ taskId, id }) => [
    "GET",
    `/tasks/${taskId}/pushNotificationConfigs/${id}`,
  ],
  ListTaskPushNotificationConfigs: ({ taskId }) => ["GET", `/tasks/${taskId}/pushNotificationConfigs`],
  DeleteTaskPushNotificationConfig: ({ taskId, id }) => [
    "DELETE",
    `/tasks/${taskId}/pushNotificationConfigs/${id}`,
  ],
  GetExtendedAgentCard: () => ["GET", "/extendedAgentCard"],
};

export function restPeer(url: string): Peer {
  const send = (operation: string, params: Json, { headers = {}, signal }: StreamOptions) => {
    const route = routes[operation];
    assert.ok(route, `no route for ${operation}`);
    const [method, path, body] = route(params);
    return fetch(url + path, {
      method,
      headers: { "Content-Type": "application/a2a+json", "A2A-Version": protocolVersion, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  };
  return {
    binding: "HTTP+JSON",
    async call(operation, params, headers = {}) {
      const response = await send(operation, params, { headers });
      const body: Json = await response.json();
      if (response.ok) return { result: body, response };
      return { ...details(body.error.details), message: body.error.message, response };
    },
    async *stream(operation, params, options = {}) {
      const response = await send(operation, params, options);
      for await (const { data, ...frame } of frames(response)) yield { ...frame, data: data.error ?? data };
    },
  };
}

function details(list: Json[] = []) {
  const info = list.find((detail) => detail["@type"]?.endsWith("ErrorInfo"));
  const request = list.find((detail) => detail["@type"]?.endsWith("BadRequest"));
  return {
    error: info?.reason,
    metadata: info?.metadata,
    fields: request?.fieldViolations.map((violation: Json) => violation.field),
  };
}

function search(query: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) parameters.append(name, String(value));
  return parameters.size > 0 ? `?${parameters}` : "";
}

/** The frames of a stream as they come. */
export async function* frames(response: Response): AsyncGenerator<Frame> {
  const type = response.headers.get("content-type");
  assert.ok(
    type?.startsWith("text/event-stream"),
    `expected a stream, got ${type}: ${response.bodyUsed || ""}`,
  );
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(text.slice(0, end))?.[1];
      const data = field("data");
      if (data !== undefined) yield { id: field("id"), event: field("event"), data: JSON.parse(data) };
      text = text.slice(end + 2);
    }
  }
}
