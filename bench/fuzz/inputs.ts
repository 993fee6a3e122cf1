import { readFileSync } from "node:fs";
import { type Operation, operations } from "../../src/protocol/operations.js";
import type { Random } from "../random.js";
import { mutateBytes, mutateValue } from "./mutate.js";

/** A request, and the operation that it was made from. */
export interface Input {
  readonly binding: "JSONRPC" | "HTTP+JSON";
  readonly operation: Operation;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

type Fixtures = Record<string, { valid: { value: unknown }[]; invalid: { value: unknown }[] }>;

const fixtures = JSON.parse(
  readFileSync(new URL("../../generated/v1.0/fixtures.json", import.meta.url), "utf8"),
) as Fixtures;

const sometimes: readonly (readonly [string, readonly string[]])[] = [
  ["A2A-Version", ["1.0", "1.0", "1.0.3", "0.3", "9.9", "", "1.0, 0.3", "%31"]],
  ["A2A-Extensions", ["https://example.com/ext", ",,,", "x".repeat(2000)]],
  ["Last-Event-ID", ["1", "0", "-1", "99999999999999999999", "abc"]],
  ["Idempotency-Key", ["k", "k".repeat(2000)]],
  ["Accept", ["text/event-stream", "application/json", "*/*", "nonsense", ""]],
  [
    "Content-Type",
    ["application/json", "application/a2a+json", "text/plain", "application/json; charset=utf-16", ";"],
  ],
  ["traceparent", ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-x"]],
  ["Authorization", ["Bearer x", "Basic !!!", "x"]],
  ["Content-Encoding", ["identity", "gzip", "nonsense"]],
];

const verbs = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"] as const;
const segments = [
  "",
  "/",
  "//",
  "..",
  "%2e%2e",
  "%00",
  "%ff",
  "%",
  ":cancel",
  "tasks",
  "x".repeat(500),
  "ünï",
  "{id}",
];

/** Creates a request from the fixtures that codegen generates from the schema. */
export function makeInput(random: Random, taskIds: readonly string[]): Input {
  const operation = random.pick(operations) as Operation;
  const { valid, invalid } = fixtures[operation.request] ?? { valid: [], invalid: [] };
  const { value } = random.pick(random.chance(0.8) ? valid : invalid);
  const params = mutateValue(random, aimed(random, value, taskIds));
  const binding = random.chance(0.5) ? "JSONRPC" : "HTTP+JSON";
  const made = binding === "JSONRPC" ? call(random, operation, params) : route(random, operation, params);
  return { binding, operation, ...made, headers: headersOf(random) };
}

/** A payload with ids of existing tasks instead of those of the fixtures. */
function aimed(random: Random, value: unknown, taskIds: readonly string[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  const aim = (holder: object) => {
    const named = { ...holder } as Record<string, unknown>;
    if (random.chance(0.8)) delete named.tenant;
    for (const name of ["id", "taskId"]) {
      if (name in named && taskIds.length > 0 && random.chance(0.7)) named[name] = random.pick(taskIds);
    }
    return named;
  };
  const { message } = value as { message?: object };
  if (message === undefined) return aim(value);
  const { taskId, ...rest } = message as { taskId?: string };
  const continued =
    taskId !== undefined && random.chance(0.3) ? aim(message) : { ...rest, role: "ROLE_USER" };
  const { tenant: _, ...members } = value as { tenant?: unknown };
  return { ...(random.chance(0.8) ? members : value), message: continued };
}

function headersOf(random: Random): Record<string, string> {
  const headers: Record<string, string> = { "Content-Type": "application/json", "A2A-Version": "1.0" };
  for (const [name, values] of sometimes) if (random.chance(0.05)) headers[name] = random.pick(values);
  return headers;
}

function call(random: Random, { method }: Operation, params: unknown) {
  const plain = { jsonrpc: "2.0", id: random.below(1000), method, params };
  const envelope = random.chance(0.1) ? mutateValue(random, plain) : plain;
  const body = mutateBytes(random, Buffer.from(JSON.stringify(envelope) ?? ""));
  return { method: random.chance(0.02) ? random.pick(verbs) : "POST", path: "/", body };
}

function route(random: Random, { http }: Operation, params: unknown) {
  const [plain = random.pick(http)] = http;
  const { verb, path } = random.chance(0.7) ? plain : random.pick(http);
  const members = typeof params === "object" && params !== null ? (params as Record<string, unknown>) : {};
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(wellFormed(members[name] ?? "id-1")),
  );
  const broken = random.chance(0.05) ? `${filled}/${random.pick(segments)}` : filled;
  const isBodiless = verb === "GET" || verb === "DELETE";
  const query = isBodiless ? `?${search(members)}` : "";
  const body = isBodiless ? Buffer.alloc(0) : mutateBytes(random, Buffer.from(JSON.stringify(params) ?? ""));
  return { method: random.chance(0.02) ? random.pick(verbs) : verb, path: ascii(broken + query), body };
}

function search(members: Record<string, unknown>): string {
  const flat = Object.entries(members).map(([name, value]): [string, string] => [
    name,
    wellFormed(value).slice(0, 2000),
  ]);
  return new URLSearchParams(flat).toString();
}

function wellFormed(value: unknown): string {
  return (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).replace(/[\ud800-\udfff]/g, "?");
}

/** What Node's own client is willing to send as a path. */
function ascii(path: string): string {
  return path.replace(/[^\x21-\x7e]/g, (found) => encodeURIComponent(found));
}
