import type { ArtifactOptions } from "../agent/updates.js";
import { isJsonObject } from "../json/json-text.js";
import type { Part } from "../protocol/model.js";
import { dataPart, textPart } from "../protocol/parts.js";

/**
 * A piece of an artifact. In one run, pieces with the same `artifactId` become one artifact, and so do those without one that have the same
 * `name`, or none. A piece needs text, data or both.
 */
export interface ArtifactPiece extends Pick<ArtifactOptions, "artifactId" | "name" | "description"> {
  /** Text of the piece. */
  readonly text?: string;
  /** Any JSON value. */
  readonly data?: unknown;
  /** This piece ends the artifact. */
  readonly last?: boolean;
}

/**
 * What an adapted agent reports about its work. It needs at least one member; `error` takes precedence over `done` and
 * `requireInput`, which exclude each other.
 */
export interface AgentUpdate {
  /** Progress; with `done` the result, with `requireInput` the question. */
  readonly text?: string;
  /** Any JSON value, in addition to the text or instead of it. */
  readonly data?: unknown;
  /** A piece of an artifact, delivered as a chunk of its own. */
  readonly artifact?: ArtifactPiece;
  /** The caller must answer before work can continue. Needs `text` or `data`: the question. */
  readonly requireInput?: boolean;
  /** The work is done. */
  readonly done?: boolean;
  /**
   * The work failed; false and `""` mean no error. A string is shown to the caller, before `text` and `data`: it must contain nothing that
   * the caller may not see.
   */
  readonly error?: string | boolean;
}

/**
 * The update format of many Python agents, in snake_case or camelCase. A member that is null counts as absent. An error
 * takes precedence over other states of the work; to be complete and to require input exclude each other.
 */
export interface StatusDictionary {
  /** `working`, `input_required`, `completed` or `error`. Hyphens count as underscores; case is ignored. */
  readonly status?: string | null;
  /** The work is done. */
  readonly is_task_complete?: boolean | null;
  /** The same as `is_task_complete`. */
  readonly isTaskComplete?: boolean | null;
  /** The caller must answer before work can continue. Needs `message` or `content`: the question. */
  readonly require_user_input?: boolean | null;
  /** The same as `require_user_input`. */
  readonly requireUserInput?: boolean | null;
  /** Progress, the result or the question: text, or any other JSON value. */
  readonly message?: unknown;
  /** The same as `message`. If both are set, the caller sees `message` first. */
  readonly content?: unknown;
  /** The work failed; false and `""` mean no error. A string is shown to the caller. */
  readonly error?: string | boolean | null;
}

/** A validated update: the parts to show, and what the update means for the task. */
export interface UpdateReading {
  readonly parts: readonly Part[];
  readonly outcome: "progress" | "requireInput" | "done" | "error";
  readonly artifact?: ArtifactPiece;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";

const text = { check: isText, wanted: "a string" };
const flag = { check: isFlag, wanted: "true or false" };
const any = { check: () => true, wanted: "a JSON value" };
const error = {
  check: (value: unknown) => isText(value) || isFlag(value),
  wanted: "a string, true or false",
};
const object = { check: isJsonObject, wanted: "an object" };

type Shape = Readonly<Record<string, { readonly check: Check; readonly wanted: string }>>;

const update: Shape = { text, data: any, artifact: object, requireInput: flag, done: flag, error };
const dictionary: Shape = {
  ...{ is_task_complete: flag, isTaskComplete: flag, require_user_input: flag, requireUserInput: flag },
  ...{ status: text, message: any, content: any, error },
};
const piece: Shape = { artifactId: text, name: text, description: text, text, data: any, last: flag };

/** What each status means. */
const statuses: Readonly<Record<string, UpdateReading["outcome"]>> = {
  working: "progress",
  input_required: "requireInput",
  completed: "done",
  error: "error",
};

/**
 * Validates an update of an adapted agent and interprets it.
 * @throws TypeError that says what is wrong
 */
export function readUpdate(value: unknown): UpdateReading {
  if (!isJsonObject(value)) throw new TypeError(`An update must be an object, not ${typeName(value)}`);
  if (Object.keys(dictionary).some((name) => name !== "error" && name in value)) return readDictionary(value);
  checkMembers(value, update, "update");
  // The check has compared every member with its type.
  const { text, data, artifact, requireInput, done, error } = value as AgentUpdate;
  if (artifact !== undefined) checkPiece(artifact);
  const outcome = outcomeOf({ done, error, requireInput }, ["done", "requireInput"]);
  const parts = partsOf([error || undefined, text], data);
  if (outcome === "requireInput" && parts.length === 0) {
    throw new TypeError("update.text is missing: requireInput needs a question");
  }
  return { parts, outcome, ...(artifact && { artifact }) };
}

function readDictionary(value: Record<string, unknown>): UpdateReading {
  const present = Object.fromEntries(Object.entries(value).filter(([, value]) => value !== null));
  checkMembers(present, dictionary, "update");
  const { status, message, content, error } = present;
  const done = flagIn(present, "is_task_complete", "isTaskComplete");
  const requireInput = flagIn(present, "require_user_input", "requireUserInput");
  const stated = readStatus(status);
  const flags = {
    done: done !== undefined || stated === "done",
    error: error || stated === "error",
    requireInput: requireInput !== undefined || stated === "requireInput",
  };
  const outcome = outcomeOf(flags, [done ?? "status", requireInput ?? "status"]);
  const shown = [message, content].flatMap((value) =>
    typeof value === "string" ? partsOf([value]) : partsOf([], value),
  );
  const parts = [...partsOf([error || undefined]), ...shown];
  if (outcome === "requireInput" && parts.length === 0) {
    const [member, flag] =
      stated === "requireInput" ? ["message", "input_required"] : ["content", requireInput];
    throw new TypeError(`update.${member} is missing: ${flag} needs a question`);
  }
  return { parts, outcome };
}

/** The name of a flag that is true; undefined if it is not. The snake_case member counts if both are there. */
function flagIn(present: Record<string, unknown>, snake: string, camel: string): string | undefined {
  const name = present[snake] === undefined ? camel : snake;
  return present[name] === true ? name : undefined;
}

function readStatus(status: unknown): UpdateReading["outcome"] | undefined {
  if (typeof status !== "string") return undefined;
  const word = status.toLowerCase().replaceAll("-", "_");
  const outcome = Object.hasOwn(statuses, word) ? statuses[word] : undefined;
  if (outcome !== undefined) return outcome;
  // A single word is safe to show to the caller; longer text may contain anything.
  const found = /^[\w-]{1,32}$/.test(status) ? JSON.stringify(status) : "a text";
  throw new TypeError(`update.status must be one of ${Object.keys(statuses).join(", ")}, not ${found}`);
}

/**
 * What the flags of an update mean for the task.
 * @param names the two members that exclude each other, for the error
 * @throws TypeError when both of them are set, without an error
 */
function outcomeOf(
  flags: { [flag in "done" | "error" | "requireInput"]: unknown },
  names: readonly string[],
) {
  if (flags.error) return "error";
  if (flags.done && flags.requireInput) {
    throw new TypeError(`update.${names.join(" and update.")} exclude each other`);
  }
  if (flags.requireInput) return "requireInput";
  return flags.done ? "done" : "progress";
}

/** Makes parts of those texts that are strings, then of a value if there is one. */
export function partsOf(texts: readonly unknown[], data?: unknown): Part[] {
  const strings = texts.filter((one) => typeof one === "string");
  return [...strings.map((one) => textPart(one)), ...(data === undefined ? [] : [dataPart(data)])];
}

function checkPiece(artifact: ArtifactPiece): void {
  checkMembers({ ...artifact }, piece, "update.artifact");
  if (artifact.text === undefined && artifact.data === undefined) {
    throw new TypeError("update.artifact.text is missing: an artifact has text or data");
  }
}

function checkMembers(value: Record<string, unknown>, shape: Shape, path: string): void {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  for (const [name, member] of entries) {
    const rule = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (rule === undefined) {
      throw new TypeError(
        `${path}.${name} is not a member: the members are ${Object.keys(shape).join(", ")}`,
      );
    }
    if (!rule.check(member))
      throw new TypeError(`${path}.${name} must be ${rule.wanted}, not ${typeName(member)}`);
  }
  if (entries.length === 0)
    throw new TypeError(`${path} is empty: it needs one of ${Object.keys(shape).join(", ")}`);
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : typeof value;
}
