import { isJsonObject } from "../json/json-text.js";
import { EventStreamParser } from "../net/event-stream.js";
import type { RecordedExchange } from "./recorded-exchange.js";

/** One event of a stream, or the whole of another answer. */
export interface RecordedEvent {
  /** Id of an event. */
  readonly id: string | undefined;
  /** Milliseconds from the request; undefined when the recording does not say. */
  readonly at: number | undefined;
  /** The value in the answer: without the envelope of JSON-RPC, and text where it is not JSON. */
  readonly value: unknown;
}

/** The events of the answer in an exchange, in order. */
export function eventsIn(exchange: RecordedExchange): RecordedEvent[] {
  const { answer, headers, times } = exchange;
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  if (!type.toLowerCase().startsWith("text/event-stream"))
    return answer === ""
      ? []
      : [{ id: undefined, at: times?.ended ?? times?.answered, value: valueIn(answer) }];
  const events: RecordedEvent[] = [];
  const parser = new EventStreamParser();
  let from = 0;
  for (const [time, length] of [...(times?.pieces ?? []), [times?.ended, answer.length] as const]) {
    for (const { id, data } of parser.feed(answer.slice(from, length)))
      events.push({ id: id || undefined, at: time, value: valueIn(data) });
    from = length;
  }
  return events;
}

function valueIn(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (!isJsonObject(value) || value.jsonrpc === undefined) return value;
  return value.error === undefined ? value.result : { error: value.error };
}

/** Maximum length of the text in a summary, in characters. */
const MAX_TEXT = 120;

/** Summarizes an event of any version: `task WORKING`, `status WORKING: Looking`, `artifact answer: 42`, `error Task not found`. */
export function summaryOf(value: unknown): string {
  if (!isJsonObject(value)) return String(value).slice(0, MAX_TEXT);
  const [kind, inner] = payloadOf(value);
  const { status, artifact, error } = inner;
  if (isJsonObject(error)) return `error ${String(error.message ?? error.code ?? "")}`.trimEnd();
  if (isJsonObject(artifact)) return `artifact ${String(artifact.name ?? "")}${textIn(artifact)}`.trimEnd();
  if (isJsonObject(status)) return `${kind} ${stateOf(status.state)}${textIn(status.message)}`;
  if (Array.isArray(inner.parts)) return `message${textIn(inner)}`;
  return Object.keys(inner).slice(0, 8).join(", ");
}

type Json = Readonly<Record<string, unknown>>;

/** The object that an event is about, and what it is: a task has an id, a change of status the id of its task. */
function payloadOf(value: Json): readonly [kind: string, inner: Json] {
  for (const name of ["task", "message", "statusUpdate", "artifactUpdate"])
    if (isJsonObject(value[name])) return [name === "task" ? "task" : "status", value[name]];
  return [value.id !== undefined && value.kind !== "status-update" ? "task" : "status", value];
}

function stateOf(state: unknown): string {
  return String(state)
    .replace(/^TASK_STATE_/, "")
    .toUpperCase()
    .replaceAll("-", "_");
}

function textIn(value: unknown): string {
  const parts = isJsonObject(value) && Array.isArray(value.parts) ? value.parts : [];
  const text = parts
    .map((part) => (isJsonObject(part) && typeof part.text === "string" ? part.text : ""))
    .join("");
  if (text === "") return "";
  return `: ${text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text}`;
}
