import { isJsonObject } from "../json-text.js";
import { messageFromProto, taskFromProto } from "./proto-dialect.js";

type Json = Readonly<Record<string, unknown>>;

/** Members that HTTP+JSON puts around what JSON-RPC gives bare. */
const envelopes = [
  ["task", "task"],
  ["message", "message"],
  ["msg", "message"],
  ["statusUpdate", "status-update"],
  ["artifactUpdate", "artifact-update"],
] as const;

/** Kinds of values that do not say theirs, by a member that only they have. */
const marks = [
  ["role", "message"],
  ["artifact", "artifact-update"],
  ["final", "status-update"],
  ["taskId", "status-update"],
  ["status", "task"],
] as const;

const PART_KINDS: readonly unknown[] = ["text", "file", "data"];

/** A task, message or event as JSON-RPC has it, whatever is around it and in whichever dialect. Parts of unknown kinds are left out. */
export function bareValue(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  if (value.kind === undefined) {
    for (const [member, kind] of envelopes) {
      const inner = value[member];
      if (isJsonObject(inner) && value.role === undefined && value.status === undefined)
        return bare(inner, kind);
    }
  }
  return bare(value, value.kind ?? marks.find(([member]) => value[member] !== undefined)?.[1]);
}

function bare(value: Json, kind: unknown): unknown {
  const read = kind === "message" ? messageFromProto(value) : taskFromProto(value);
  // Protocol buffers leave out what is false.
  return withKnownParts({ ...(kind === "status-update" && { final: false }), ...(read as Json), kind });
}

function withKnownParts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withKnownParts);
  if (!isJsonObject(value)) return value;
  const result: Record<string, unknown> = { ...value };
  for (const name of ["status", "message", "artifact", "artifacts", "history"] as const) {
    if (result[name] !== undefined) result[name] = withKnownParts(result[name]);
  }
  if (Array.isArray(value.parts)) result.parts = value.parts.filter(isKnown);
  return result;
}

/** Parts that break the contract stay, for the validator to name. */
function isKnown(part: unknown): boolean {
  return !isJsonObject(part) || typeof part.kind !== "string" || PART_KINDS.includes(part.kind);
}
