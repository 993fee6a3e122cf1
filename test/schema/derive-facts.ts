import type {
  Definition,
  Facts,
  FieldFacts,
  MethodFacts,
  OperationRow,
  OperationsFile,
  SchemaFile,
  Shape,
} from "./read-contract.js";

/** Shapes of the normal form, written with sorted keys, and the protocol type each stands for. */
const scalarTypes: Record<string, string> = {
  '{"type":"string"}': "string",
  '{"type":"boolean"}': "bool",
  '{"format":"int32","type":"integer"}': "int32",
  '{"format":"byte","type":"string"}': "bytes",
  '{"format":"date-time","type":"string"}': "timestamp",
  '{"type":"object"}': "object",
  '{"x-type":"any"}': "any JSON value",
};

/** Keywords that say something about a value but not which type it has. */
const besideType = new Set(["description", "deprecated", "x-number", "x-presence"]);
const limits = new Set(["minLength", "minItems", "minimum", "maximum"]);

/**
 * Reads back from the schema files what they say about the protocol, in the form of the facts. What is not in the
 * normal form shows as an odd type, so that a comparison with the facts reports it.
 */
export function deriveFacts(schema: SchemaFile, operations: OperationsFile): Facts {
  const definitions = Object.entries(schema.$defs);
  return {
    protocolVersion: schema["x-protocol-version"],
    messages: Object.fromEntries(
      definitions
        .filter(([, it]) => it.enum === undefined)
        .map(([name, it]) => [name, { fields: fieldsOf(it) }]),
    ),
    enums: Object.fromEntries(
      definitions.filter(([, it]) => it.enum).map(([name, it]) => [name, valuesOf(it)]),
    ),
    methods: Object.fromEntries(operations.operations.map((it) => [it.method, methodOf(it)])),
  };
}

function fieldsOf(definition: Definition): Record<string, FieldFacts> {
  const fields = Object.fromEntries(
    Object.entries(definition.properties ?? {}).map(([name, shape]) => [name, fieldOf(shape)]),
  );
  const field = (name: string) => {
    fields[name] ??= {};
    return fields[name];
  };
  for (const name of definition.required ?? []) field(name).required = true;
  for (const branch of definition.oneOf ?? []) {
    const plain = Object.keys(branch).length === 1 && branch.required?.length === 1;
    const group = definition["x-oneof"] ?? "without a name";
    for (const name of branch.required ?? []) field(name).oneof = plain ? group : JSON.stringify(branch);
  }
  return fields;
}

function fieldOf(shape: Shape): FieldFacts {
  const { items, additionalProperties } = shape;
  const container = items ? "array" : additionalProperties ? "object" : undefined;
  return {
    ...(shape["x-number"] !== undefined && { number: shape["x-number"] }),
    type:
      container === undefined || shape.type === container
        ? typeOf(items ?? additionalProperties ?? shape)
        : "odd",
    ...(items && { repeated: true }),
    ...(additionalProperties && { map: true, keyType: "string" }),
    ...(shape["x-presence"] === "explicit" && { explicitPresence: true }),
    ...(shape.deprecated && { deprecated: true }),
  };
}

function typeOf(shape: Shape): string {
  const core = Object.entries(shape)
    .filter(([key]) => !besideType.has(key) && !limits.has(key))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify(Object.fromEntries(core));
  const target = /^\{"\$ref":"#\/\$defs\/(\w+)"\}$/.exec(text);
  return target?.[1] ?? scalarTypes[text] ?? `odd ${text}`;
}

function valuesOf(definition: Definition): Record<string, number> {
  const names = definition.enum ?? [];
  const numbers = definition["x-enum-numbers"] ?? [];
  const length = Math.max(names.length, numbers.length);
  return Object.fromEntries(
    Array.from({ length }, (_, index) => [names[index] ?? `value ${index}`, numbers[index] ?? Number.NaN]),
  );
}

/** The definition gives a body to every POST and to nothing else, so the schema does not repeat it. */
function methodOf(operation: OperationRow): MethodFacts {
  return {
    request: operation.request,
    response: operation.response ?? "empty",
    ...(operation.streaming && { serverStreaming: true }),
    http: operation.http.map(({ verb, path }) => ({ verb, path, ...(verb === "POST" && { body: "*" }) })),
  };
}
