import { canonicalJson } from "../json/canonical-json.js";
import { describeFault } from "../json/violation.js";
import type { ErrorCode } from "../protocol/errors.js";
import { errors } from "../protocol/errors.js";
import type { Validator } from "../protocol/model.js";
import { fieldsOf, type MessageName } from "../protocol/operations.js";
import { excerptOf, type Unchecked } from "./json.js";
import type { EventSource, PeerAnswer } from "./peer.js";
import { Deviation, Inconclusive } from "./verdict.js";

/** A value without the members that its type does not define. A newer agent may send such members (§5.7). */
export function knownMembers(type: MessageName, value: Unchecked): Unchecked {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = value as Readonly<Record<string, Unchecked>>;
  const known = fieldsOf(type).filter(({ name }) => Object.hasOwn(members, name));
  return Object.fromEntries(
    known.map((field) => {
      const member = members[field.name];
      if (field.kind !== "message") return [field.name, member];
      const inner = (one: Unchecked): Unchecked => knownMembers(field.type, one);
      if (field.repeated) return [field.name, Array.isArray(member) ? member.map(inner) : member];
      if (field.map && typeof member === "object" && member !== null) {
        return [
          field.name,
          Object.fromEntries(Object.entries(member).map(([key, one]) => [key, inner(one)])),
        ];
      }
      return [field.name, inner(member)];
    }),
  );
}

/** @throws Deviation unless the condition holds */
export function assert(condition: boolean, found: string): asserts condition {
  if (!condition) throw new Deviation(found);
}

/** @throws Deviation unless two values are the same as JSON */
export function same(found: Unchecked, wanted: Unchecked, what: string): void {
  assert(sorted(found) === sorted(wanted), `${what} is ${excerptOf(found)} instead of ${excerptOf(wanted)}`);
}

/** A value as JSON, its members in an order that does not depend on the binding. */
function sorted(value: Unchecked): string | undefined {
  return value === undefined ? undefined : canonicalJson(value);
}

/** An answer in a few words, for a report. */
export function summary(answer: PeerAnswer): string {
  const { status, error } = answer;
  if (error === undefined)
    return answer.result === undefined ? `HTTP ${status} ${excerptOf(answer.body)}` : "success";
  return `HTTP ${status}, error ${excerptOf(error.code)} ${error.reason || excerptOf(error.status)} (${excerptOf(error.message)})`;
}

/**
 * The result of a call that must succeed.
 * @throws Deviation
 */
export function result(answer: PeerAnswer, what = "the call"): Unchecked {
  assert(answer.result !== undefined, `${what} was not answered with a result: ${summary(answer)}`);
  return answer.result;
}

/**
 * The result of canceling a task that has not ended.
 * @throws Deviation; Inconclusive when the agent says that it cannot cancel the task, which it may (§3.1.5)
 */
export function canceled(answer: PeerAnswer): Unchecked {
  if (isRefused(answer, "TASK_NOT_CANCELABLE"))
    throw new Inconclusive("the agent says that it cannot cancel the task");
  return result(answer, "the cancel");
}

/** Whether an answer is the given error. */
export function isRefused(answer: PeerAnswer, code: ErrorCode): boolean {
  const { error, status, binding } = answer;
  const row = errors[code];
  if (error === undefined) return false;
  if (binding === "JSONRPC") return error.code === row.jsonRpcCode;
  const isNamed = row.kind !== "protocol" || error.reason === code;
  if (binding === "GRPC") return error.status === grpcStatusOf(code) && isNamed;
  return status === row.httpStatus && error.status === row.status && isNamed;
}

/** Name of the gRPC status of an error (§5.4): the same as over HTTP+JSON, except for methods that do not exist. */
function grpcStatusOf(code: ErrorCode): string {
  return code === "METHOD_NOT_FOUND" ? "UNIMPLEMENTED" : errors[code].status;
}

/**
 * Checks that a call was refused with the given error.
 * @param field path that the violation must name
 * @throws Deviation
 */
export function refused(answer: PeerAnswer, code: ErrorCode, field?: string): void {
  const { jsonRpcCode, httpStatus, status, kind } = errors[code];
  const reason = kind === "protocol" ? ` with the reason ${code}` : "";
  const form = {
    JSONRPC: `${jsonRpcCode}`,
    "HTTP+JSON": `HTTP ${httpStatus} ${status}${reason}`,
    GRPC: `${grpcStatusOf(code)}${reason}`,
  }[answer.binding];
  assert(isRefused(answer, code), `got ${summary(answer)} instead of ${code} (${form})`);
  if (field === undefined) return;
  const { fields = [] } = answer.error ?? {};
  assert(fields.includes(field), `the refusal names ${fields.join(", ") || "no field"} instead of ${field}`);
}

/** Checks that a call was refused with any error. @throws Deviation */
export function refusedSomehow(answer: PeerAnswer, what: string): void {
  assert(answer.result === undefined, `${what} was accepted`);
  assert(answer.error !== undefined, `${what} was refused without an error object: ${summary(answer)}`);
}

/** Checks a value against the schema; unknown members are allowed. @throws Deviation */
export function valid(type: MessageName, isValid: Validator<unknown>, value: Unchecked): void {
  assert(isValid(knownMembers(type, value)), `not a valid ${type}: ${describeFault(isValid.errors)}`);
}

/** The stream of a call that must open one. @throws Deviation */
export function streaming(opened: PeerAnswer | EventSource): EventSource {
  assert("events" in opened, `no stream was opened: ${"events" in opened ? "" : summary(opened)}`);
  return opened;
}

/** The answer of a call that must not open a stream. @throws Deviation */
export function plain(opened: PeerAnswer | EventSource): PeerAnswer {
  if ("events" in opened) {
    opened.close();
    throw new Deviation("a stream was opened");
  }
  return opened;
}
