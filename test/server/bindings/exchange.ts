import assert from "node:assert/strict";
import { anonymous } from "../../../src/protocol/call-context.js";
import { type OperationName, operation as row } from "../../../src/protocol/operations.js";
import { bindings } from "../../../src/server/bindings/bindings.js";
import type { HostRequest, HostResponse } from "../../../src/server/host.js";
import { respond } from "../../../src/server/pipeline.js";
import type { ServedAgent } from "../../../src/server/served-agent.js";

/** JSON of any shape, to look into. */
export type Json = any;

/** A request as an adapter would give it; JSON of this version unless told otherwise. */
export function httpRequest(more: Partial<HostRequest>): HostRequest {
  const path = more.path ?? "/";
  const [, query = ""] = /\?(.*)$/s.exec(path) ?? [];
  return {
    method: "POST",
    query,
    body: undefined,
    principal: anonymous,
    agentUrl: "https://agent.test",
    signal: new AbortController().signal,
    ...more,
    path: path.replace(/\?.*$/s, ""),
    headers: { "a2a-version": "1.0", ...more.headers },
  };
}

/** Answers a request to the JSON-RPC endpoint of an agent. */
export const answerJsonRpc = (host: HostRequest, agent: ServedAgent) =>
  respond(host, bindings.JSONRPC, agent);

/** Answers a request to a route of an agent. */
export const answerHttpJson = (host: HostRequest, agent: ServedAgent) =>
  respond(host, bindings["HTTP+JSON"], agent);

/** An answer in the words of the protocol, whatever the binding. */
export interface Outcome {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly result?: Json;
  readonly error?: Failure;
  readonly events?: Json[];
}

/** An error in the words of the protocol. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly metadata?: Record<string, string>;
  readonly violations?: { field: string; description: string }[];
}

/** One of the two bindings behind a common face. */
export interface Driver {
  readonly name: string;
  call(
    agent: ServedAgent,
    operation: OperationName,
    request?: Json,
    more?: Partial<HostRequest>,
  ): Promise<Outcome>;
}

export const jsonRpc: Driver = {
  name: "JSON-RPC",
  async call(agent, operation, params, more = {}) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: "id-1", method: row(operation).method, params });
    const reply = await answerJsonRpc(httpRequest({ body, ...more }), agent);
    return outcome(reply, (json) => {
      assert.equal(json.jsonrpc, "2.0");
      assert.equal(json.id, "id-1");
      assert.equal("result" in json, !("error" in json));
      return json.error === undefined
        ? { result: json.result }
        : { error: failure(json.error.message, json.error.data) };
    });
  },
};

export const httpJson: Driver = {
  name: "HTTP+JSON",
  async call(agent, operation, request = {}, more = {}) {
    const reply = await answerHttpJson(httpRequest({ ...restForm(operation, request), ...more }), agent);
    return outcome(reply, (json) =>
      json.error === undefined
        ? { result: json }
        : { error: failure(json.error.message, json.error.details) },
    );
  },
};

export const drivers: readonly Driver[] = [jsonRpc, httpJson];

/** Writes a request in the form of the HTTP+JSON binding: values of the path, then body or query. */
function restForm(operation: OperationName, request: Record<string, Json>): Partial<HostRequest> {
  const route = row(operation).http.find(
    ({ path }) => path.startsWith("/{tenant}") === Boolean(request.tenant),
  );
  assert.ok(route);
  const left = { ...request };
  let path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = left[name] ?? "";
    delete left[name];
    return encodeURIComponent(value);
  });
  if (route.verb === "POST") return { method: route.verb, path, body: JSON.stringify(left) };
  const query = new URLSearchParams(left);
  if (query.size > 0) path += `?${query}`;
  return { method: route.verb, path };
}

/** Reads every frame of a reply. */
export async function framesOf(reply: HostResponse): Promise<string[]> {
  assert.ok("frames" in reply, "the reply is no stream");
  const frames: string[] = [];
  for await (const frame of reply.frames) frames.push(frame);
  return frames;
}

/** Fields of one frame; the data as JSON. */
export function parseFrame(frame: string): { id?: string; event?: string; data: Json } {
  assert.ok(frame.endsWith("\n\n"));
  const fields = Object.fromEntries(
    frame
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/: (.*)/s)),
  );
  return { ...fields, data: JSON.parse(fields.data) };
}

/** The body of a reply that is no stream. */
export async function bodyOf(reply: HostResponse): Promise<string> {
  assert.ok(!("frames" in reply), "the reply is a stream");
  return textOf(reply.body);
}

async function outcome(
  reply: HostResponse,
  read: (json: Json) => Pick<Outcome, "result" | "error">,
): Promise<Outcome> {
  const { status, headers } = reply;
  if (!("frames" in reply)) return { status, headers, ...read(JSON.parse(await bodyOf(reply))) };
  const events = [];
  for (const frame of await framesOf(reply)) {
    const { data, ...fields } = parseFrame(frame);
    events.push({ ...fields, ...read(data) });
  }
  return { status, headers, events };
}

function failure(message: string, details: Json[]): Failure {
  const info = details.find((detail) => detail["@type"] === "type.googleapis.com/google.rpc.ErrorInfo");
  const fault = details.find((detail) => detail["@type"] === "type.googleapis.com/google.rpc.BadRequest");
  assert.equal(info.domain, "a2a-protocol.org");
  return {
    code: info.reason,
    message,
    ...(info.metadata && { metadata: info.metadata }),
    ...(fault && { violations: fault.fieldViolations }),
  };
}

function textOf(body: string | Uint8Array | null): string {
  return typeof body === "string" ? body : new TextDecoder().decode(body ?? undefined);
}
