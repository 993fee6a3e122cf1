import type { DataSchema, SkillSignature } from "../agent/skills/contract.js";
import { dataIn, expectationIn, type Located, type ReadData, readData } from "../agent/skills/read-data.js";
import { UnusableSchema } from "../json/json-schema.js";
import { hasMoreMembers, hasMoreValues, isJsonObject, parseJson } from "../json/json-text.js";
import type { FieldViolation } from "../protocol/errors.js";
import type { Artifact, Part, Received, SendMessageResponse, Task } from "../protocol/model.js";
import { textOf, textPart } from "../protocol/parts.js";
import type { JsonLimits } from "./check-json-limits.js";
import { ClientError, type ClientErrorOptions, kindAt } from "./client-error.js";
import { SkillError } from "./skill-error.js";

/** The result of a skill. */
export interface SkillResult<Output = unknown> {
  /**
   * The last data in the result or, if it has none, the text; as the schema of the output transforms it. With a contract that has no such
   * schema, always the text.
   */
  readonly output: Output;
  /** All text in the result, including text that is the output or contains it. */
  readonly text: string;
  /** The task; undefined when the agent created none. */
  readonly task: Received<Task> | undefined;
}

/**
 * A container of results: a reply, an artifact, or the status message of a completed task without artifacts.
 */
interface Holder {
  readonly path: string;
  readonly parts: readonly Part[];
}

/** The contract of a skill, as far as the client knows it. */
export interface KnownContract extends SkillSignature {
  /** Whether the schemas are from the agent's card. */
  readonly isPublished?: true;
}

/**
 * Reads the result of a skill from a response.
 * @param contract undefined when unknown
 * @param limits of an output in text; text beyond them is not read as JSON
 * @throws ClientError INVALID_RESPONSE for an invalid output, CARD_INVALID or INVALID_OPTION for a schema that cannot be used; SkillError
 * when there is a schema of the output but no output; what a schema of another library throws
 */
export async function readSkillAnswer(
  answer: Received<SendMessageResponse>,
  contract: KnownContract | undefined,
  limits: JsonLimits,
): Promise<SkillResult> {
  const { task, message } = answer;
  const holders = message ? [{ path: "message", parts: partsIn(message) }] : resultsOf(task);
  const text = holders
    .map(textOf)
    .filter((one) => one !== "")
    .join("\n");
  const found = holders.flatMap(({ parts, path }) => outputsIn(parts, path, contract)).at(-1);
  if (found !== undefined) return { output: await readOutput(found, contract), text, task };
  if (contract?.output === undefined) return { output: text, text, task };
  const output = await outputInText(text, contract, limits);
  if (output === undefined) throw new SkillError("The skill returned no output", { task, text });
  return { output, text, task };
}

/**
 * The data parts that are outputs: none with a contract that has no schema of the output, because the output is then text.
 * @param path of the object that has the parts, such as `message`
 */
export function outputsIn(
  parts: readonly Part[],
  path: string,
  contract: KnownContract | undefined,
): Located[] {
  return contract !== undefined && contract.output === undefined ? [] : dataIn(parts, path);
}

/**
 * Validates an output, and returns it as its schema transforms it. Without a schema, returns it unchanged.
 * @throws ClientError INVALID_RESPONSE naming the member; CARD_INVALID or INVALID_OPTION for a schema that cannot be used; what a schema of
 * another library throws
 */
export async function readOutput(
  { value, path }: Located,
  contract: KnownContract | undefined,
): Promise<unknown> {
  if (contract?.output === undefined) return value;
  const read = await readBy(contract, "output", { value, path });
  if (read.violations === undefined) return read.value;
  const [violation] = read.violations;
  const received = kindAt(value, violation.field.slice(path.length));
  throw refusal("INVALID_RESPONSE", violation, { received });
}

/**
 * The message parts for an input. The schema of the input validates it, but does not transform what is sent.
 * @throws ClientError INVALID_REQUEST naming the member; CARD_INVALID or INVALID_OPTION for a schema that cannot be used; what a schema of
 * another library throws
 */
export async function partsFor(input: unknown, contract: KnownContract | undefined): Promise<Part[]> {
  if (typeof input === "string" && contract?.input === undefined) return [textPart(input)];
  if (contract?.input === undefined) return [{ data: input }];
  const { violations } = await readBy(contract, "input", { value: input, path: "message.parts[0].data" });
  if (violations === undefined) return [{ data: input }];
  throw refusal("INVALID_REQUEST", violations[0]);
}

/** The error for an input (INVALID_REQUEST) or an output (INVALID_RESPONSE) that its schema refuses. */
function refusal(
  code: "INVALID_REQUEST" | "INVALID_RESPONSE",
  { field, description }: FieldViolation,
  more: ClientErrorOptions = {},
): ClientError {
  const side = code === "INVALID_REQUEST" ? "input" : "output";
  const expected = expectationIn(description);
  // A description continues the name of the field; the message of a Standard Schema is a sentence of its own.
  const separator = expected === description ? " " : ": ";
  const message = `The ${side} of the skill is not valid: ${field}${separator}${expected}`;
  return new ClientError(code, message, { ...more, field, expected });
}

/** @throws ClientError CARD_INVALID or INVALID_OPTION for a schema that cannot be used; what a schema of another library throws */
async function readBy(
  contract: KnownContract,
  side: "input" | "output",
  { value, path }: Located,
): Promise<ReadData> {
  try {
    return await readData(contract[side] as DataSchema, value, path);
  } catch (error) {
    if (!(error instanceof UnusableSchema)) throw error;
    const code = contract.isPublished ? "CARD_INVALID" : "INVALID_OPTION";
    throw new ClientError(
      code,
      `The JSON Schema of the ${side} of the skill cannot be used: ${error.message}`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Reads an output from text, in which an agent without contracts may return it: as JSON, or as the value itself.
 * @returns undefined for blank text, and when neither matches the schema
 * @throws the errors of {@link readBy}
 */
async function outputInText(text: string, contract: KnownContract, limits: JsonLimits): Promise<unknown> {
  for (const read of [jsonIn, (plain: string) => plain]) {
    const value = text.trim() === "" ? undefined : read(text, limits);
    const found = value === undefined ? undefined : await readBy(contract, "output", { value, path: "" });
    if (found !== undefined && found.violations === undefined) return found.value;
  }
  return undefined;
}

/** Parses JSON text; undefined for text that is not JSON, or beyond the limits. */
function jsonIn(text: string, { values, members }: JsonLimits): unknown {
  if (hasMoreValues(text, values) || hasMoreMembers(text, members)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/**
 * The parts of a message or an artifact; none without it. A lenient client may receive other values: what is not a list is read as an empty
 * one, and a part that is not an object as one without content, so that the others keep their positions.
 */
export function partsIn(holder: { readonly parts?: readonly Part[] } | undefined): Part[] {
  const parts: unknown = holder?.parts;
  return Array.isArray(parts) ? parts.map((part): Part => Object(part)) : [];
}

/** The artifacts of a task, with their positions. Other values, which a lenient client may receive, are left out. */
export function artifactsIn(task: Received<Task> | undefined): [index: number, artifact: Artifact][] {
  const artifacts: unknown = task?.artifacts;
  return Array.isArray(artifacts) ? [...artifacts.entries()].filter(([, one]) => isJsonObject(one)) : [];
}

/** @param task undefined if a lenient client has received neither a task nor a message */
function resultsOf(task: Received<Task> | undefined): Holder[] {
  const artifacts = artifactsIn(task);
  const { status }: Partial<Received<Task>> = task ?? {};
  // A reply that completes a task is its status message.
  const isReplied = artifacts.length === 0 && status?.state === "TASK_STATE_COMPLETED";
  if (isReplied && status.message) return [{ path: "task.status.message", parts: partsIn(status.message) }];
  return artifacts.map(([index, artifact]) => ({
    path: `task.artifacts[${index}]`,
    parts: partsIn(artifact),
  }));
}
