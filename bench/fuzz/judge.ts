import type { IncomingHttpHeaders } from "node:http";
import { knownMembers } from "../../src/conformance/expect.js";
import { errors } from "../../src/protocol/errors.js";
import { isStreamResponse, responseGuards } from "../../src/protocol/model.js";
import { type Operation, operations } from "../../src/protocol/operations.js";
import { findPlace } from "../../src/server/bindings/http-json/routes.js";
import { newestCodec } from "../../src/versions/codecs.js";
import type { Input } from "./inputs.js";

/** The answer to a request. */
export interface Outcome {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Milliseconds until the answer was complete. */
  readonly time: number;
}

/** The judgement of an answer: the tasks that it shows, and its fault. */
export interface Verdict {
  /** Ids of tasks that it shows. */
  readonly tasks: readonly string[];
  readonly isRefusal: boolean;
  /** Of a refusal by the protocol. */
  readonly code?: string;
  readonly fault?: string;
}

const SLOW_MS = 10_000;
/** Codes that no request may cause. */
const faulty: readonly string[] = ["INTERNAL_ERROR", "INVALID_AGENT_RESPONSE"];

/** Judges an answer: it must be one of the protocol, valid, and on time. */
export function judge(input: Input, outcome: Outcome): Verdict {
  const { status, headers, body, time } = outcome;
  const fault = (text: string): Verdict => ({ tasks: [], isRefusal: false, fault: text });
  if (time > SLOW_MS) return fault(`the answer took ${Math.round(time)} ms`);
  // Answers to preflights and refusals by Node have no body.
  if (body === "")
    return status < 500 ? { tasks: [], isRefusal: true } : fault(`status ${status} without a body`);
  if (headers["content-type"]?.startsWith("text/event-stream")) return judgeStream(input, body);
  const value = parsed(body);
  if (value === undefined)
    return status === 400 ? { tasks: [], isRefusal: true } : fault("the body is no JSON");
  return judgeValue(input, value, status);
}

type Json = any;

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function judgeValue(input: Input, value: Json, status: number): Verdict {
  if (value?.error !== undefined) return judgeError(value.error, status);
  const operation = meant(input);
  // A document, which a broken path has led to.
  if (operation === undefined) return { tasks: [], isRefusal: false };
  const { name, response } = operation;
  const isResponse = responseGuards[name];
  const result = input.binding === "JSONRPC" ? value.result : value;
  // An empty answer is null in one binding and an empty object in the other.
  // Unknown members are passed on.
  const isValid =
    isResponse === null || response === null
      ? JSON.stringify(result ?? {}) === "{}"
      : isResponse(knownMembers(response, result));
  if (!isValid) {
    const text = JSON.stringify(value).slice(0, 300);
    return { tasks: [], isRefusal: false, fault: `the answer is no ${response}: ${text}` };
  }
  const id = result?.task?.id;
  return { tasks: typeof id === "string" ? [id] : [], isRefusal: false };
}

/** The operation that a request calls, which may differ from the one that it was made from. */
function meant({ binding, method, path, body }: Input): Operation | undefined {
  if (binding === "HTTP+JSON")
    return findPlace(path.split("?", 1)[0] ?? "", newestCodec)?.verbs.get(method)?.operation;
  const called = parsed(body.toString())?.method;
  return operations.find((operation) => operation.method === called) as Operation | undefined;
}

function judgeError(error: Json, status: number): Verdict {
  const reason = (error.data ?? error.details)?.[0]?.reason as keyof typeof errors | undefined;
  const row = reason === undefined ? undefined : errors[reason];
  const fault =
    row === undefined
      ? `an error without a reason: ${JSON.stringify(error).slice(0, 300)}`
      : faulty.includes(reason ?? "")
        ? `${reason}: ${error.message}`
        : error.message.length > 2000
          ? "a refusal that repeats what was sent"
          : status >= 500
            ? `status ${status} for ${reason}`
            : undefined;
  return {
    tasks: [],
    isRefusal: true,
    ...(reason && { code: reason }),
    ...(fault !== undefined && { fault }),
  };
}

function judgeStream({ binding }: Input, body: string): Verdict {
  const tasks: string[] = [];
  for (const frame of body.split("\n\n").slice(0, -1)) {
    // By line breaks alone: to a regular expression other characters end lines too.
    const data = frame
      .split("\n")
      .find((line) => line.startsWith("data: "))
      ?.slice("data: ".length);
    if (data === undefined) continue;
    const value = parsed(data);
    const event = knownMembers("StreamResponse", binding === "JSONRPC" ? value?.result : value);
    if (value?.error !== undefined) {
      const verdict = judgeError(value.error, 200);
      if (verdict.fault !== undefined) return verdict;
    } else if (!isStreamResponse(event)) {
      return { tasks, isRefusal: false, fault: `an event that is not valid: ${data.slice(0, 300)}` };
    } else if (event.task !== undefined) tasks.push(event.task.id);
  }
  return { tasks, isRefusal: false };
}
