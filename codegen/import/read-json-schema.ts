import { isObject, type JsonObject } from "../normalize/members.js";
import type { Contract, Definition, OperationRow } from "./contract.js";
import { targetOf } from "./contract.js";
import { listOf, objectsOf, textOf } from "./json-members.js";
import { DefinitionReader } from "./json-schema-shapes.js";
import { ImportError, type Official, type OfficialError, type OfficialOperation } from "./official.js";
import { proseOf } from "./prose.js";

/** The card is no request and no answer, yet it belongs to every version. */
const card = "AgentCard";
const isStreamed = /stream|subscri/i;

/** What is known while the requests of a document are read. */
interface Reading {
  readonly given: ReadonlyMap<string, JsonObject>;
  readonly reader: DefinitionReader;
  /** Operations of the version whose names are kept. */
  readonly known: readonly OperationRow[];
}

/** Whether a document is a JSON Schema of 0.x: requests are definitions whose method is a constant. */
export function isRequestSchema(document: JsonObject): boolean {
  return requestsOf(definitionsOf(document)).length > 0;
}

/** The methods that a JSON Schema of 0.x defines. */
export function methodsOf(document: JsonObject): string[] {
  return requestsOf(definitionsOf(document)).map(({ method }) => method);
}

/**
 * Reads a JSON Schema of 0.1 to 0.3 (`definitions` or `$defs`): operations from the definitions whose `method` is a constant,
 * types from what their parameters and results and the card refer to, errors from the definitions whose `code` is one. The
 * envelopes of JSON-RPC are left out.
 * @param base version whose names are kept for operations and for what has no name in the document
 * @throws ImportError when a reference leads nowhere or a shape is not understood
 */
export function readJsonSchema(document: JsonObject, base: Contract): Official {
  const given = definitionsOf(document);
  const problems: string[] = [];
  const reader = new DefinitionReader(given, base.schema.$defs, problems);
  const reading: Reading = { given, reader, known: base.operations.operations };
  const cardShape = given.has(card) ? reader.shape({ $ref: `#/definitions/${card}` }, card) : undefined;
  if (cardShape === undefined) problems.push(`${card} is not defined`);
  const operations = requestsOf(given).map((request) => readOperation(request, reading));
  if (problems.length > 0) throw new ImportError(problems.join("\n"));
  return {
    form: "JSON Schema with requests",
    definitions: Object.fromEntries(reader.definitions),
    operations,
    errors: readErrors(given),
    says: { numbers: false, required: true, groups: true, deprecated: false, explicit: false },
    notes: ["envelopes of JSON-RPC were left out; limits and formats of strings are ours"],
  };
}

function definitionsOf(document: JsonObject): ReadonlyMap<string, JsonObject> {
  return new Map(objectsOf(document.definitions ?? document.$defs));
}

interface Request {
  readonly name: string;
  readonly method: string;
  readonly definition: JsonObject;
}

function requestsOf(given: ReadonlyMap<string, JsonObject>): Request[] {
  return [...given].flatMap(([name, definition]) => {
    const method = propertyOf(definition, "method")?.const;
    return typeof method === "string" ? [{ name, method, definition }] : [];
  });
}

function propertyOf({ properties }: JsonObject, name: string): JsonObject | undefined {
  const property = isObject(properties) ? properties[name] : undefined;
  return isObject(property) ? property : undefined;
}

function readOperation({ name, method, definition }: Request, reading: Reading): OfficialOperation {
  const known = reading.known.find((row) => row.method === method);
  const stem = name.replace(/Request$/, "");
  const operation = known?.name ?? stem;
  return {
    name: operation,
    description: proseOf(textOf(definition, "description")),
    method,
    http: undefined,
    request: readParams(propertyOf(definition, "params"), known?.request ?? `${operation}Params`, reading),
    response: readResult(resultOf(stem, reading), known?.response ?? `${operation}Result`, reading),
    streaming: known?.streaming ?? isStreamed.test(method),
  };
}

/** Parameters with several forms are read as the one that has every member of the others. */
function readParams(params: JsonObject | undefined, name: string, { reader, given }: Reading): string {
  const forms = listOf(params?.anyOf).map((form) => ({
    form,
    size: objectsOf(given.get(nameIn(form))?.properties).length,
  }));
  const [widest] = forms.sort((a, b) => b.size - a.size);
  return definitionName(params === undefined ? undefined : (widest?.form ?? params), name, reader) ?? name;
}

function nameIn(reference: JsonObject): string {
  return textOf(reference, "$ref")?.split("/").at(-1) ?? "";
}

/**
 * The result of the success response that belongs to a request. A request without a response of its own, which is
 * re-attaching to a stream, is answered as a stream is.
 */
function resultOf(stem: string, { given }: Reading): JsonObject | undefined {
  const streamed = [...given.keys()].filter((name) => /Stream\w*Response$/.test(name));
  for (const name of [`${stem}SuccessResponse`, `${stem}Response`, ...streamed]) {
    const result = propertyOf(given.get(name) ?? {}, "result");
    if (result !== undefined) return result;
  }
  return undefined;
}

function readResult(result: JsonObject | undefined, name: string, { reader }: Reading): string | null {
  if (result === undefined || result.type === "null") return null;
  return definitionName(result, name, reader) ?? null;
}

/** Name of the definition that a value has; one is made for what has no name. */
function definitionName(
  value: JsonObject | undefined,
  name: string,
  reader: DefinitionReader,
): string | undefined {
  if (value === undefined) {
    reader.definitions.set(name, { type: "object", properties: {} });
    return name;
  }
  const read = reader.shape(value, name);
  const target = targetOf(read);
  if (target !== undefined) return target;
  reader.definitions.set(name, read satisfies Definition);
  return name;
}

/** Definitions of errors: an object whose `code` is a constant number. */
function readErrors(given: ReadonlyMap<string, JsonObject>): OfficialError[] {
  return [...given].flatMap(([name, definition]) => {
    const code = propertyOf(definition, "code")?.const;
    const message = propertyOf(definition, "message");
    const text = message?.const ?? message?.default;
    return typeof code === "number"
      ? [{ name, jsonRpcCode: code, message: typeof text === "string" ? text : undefined }]
      : [];
  });
}
