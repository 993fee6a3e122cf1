import type { Facts, FieldFacts } from "../../schema/read-contract.js";

type Json = Record<string, unknown>;

const int32 = { maximum: 2147483647, minimum: -2147483648, type: "integer" };
const scalars: Record<string, Json> = {
  string: { type: "string", default: "" },
  bool: { type: "boolean", default: false },
  int32: { anyOf: [int32, { pattern: "^-?[0-9]+$", type: "string" }], default: 0 },
  bytes: { pattern: "^[A-Za-z0-9+/]*={0,2}$", type: "string" },
};
const wellKnown: Record<string, string> = {
  object: "google.protobuf.Struct",
  timestamp: "google.protobuf.Timestamp",
  "any JSON value": "google.protobuf.Value",
};

/** A bundle in the manner of the published one that says what the facts say, as far as it can. */
export function factsAsBundle({ messages, enums }: Facts): Json {
  const definitions = Object.entries(messages).map(([name, { fields }]) => {
    const properties = Object.entries(fields).map(
      ([field, facts]) => [field, property(facts, enums)] as const,
    );
    const snake = properties.filter(([field]) => /[A-Z]/.test(field));
    return [
      title(name),
      {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        additionalProperties: false,
        description: `Comment on ${name}.`,
        patternProperties: Object.fromEntries(
          snake.map(([field, value]) => [`^(${snakeCase(field)})$`, value]),
        ),
        properties: Object.fromEntries(properties.toSorted(([a], [b]) => (a < b ? -1 : 1))),
        title: title(name),
        type: "object",
      },
    ];
  });
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Bundle",
    version: "v1",
    definitions: {
      Struct: { title: "Struct", type: "object" },
      Timestamp: { title: "Timestamp", type: "string", format: "date-time" },
      Value: { title: "Value" },
      ...Object.fromEntries(definitions),
    },
  };
}

function property(facts: FieldFacts, enums: Facts["enums"]): Json {
  const { type = "", repeated, map, explicitPresence, oneof } = facts;
  const value = shapeOf(type, enums);
  const { default: _, ...bare } = value;
  if (map) return { type: "object", additionalProperties: bare, propertyNames: { type: "string" } };
  if (repeated) return { type: "array", items: bare, description: "Comment." };
  return explicitPresence || oneof !== undefined ? bare : { ...value, description: "Comment." };
}

function shapeOf(type: string, enums: Facts["enums"]): Json {
  const values = enums[type];
  if (values === undefined) {
    return scalars[type] ?? { $ref: `${wellKnown[type] ?? `lf.a2a.v1.${type}`}.jsonschema.json` };
  }
  const [first, ...others] = Object.keys(values);
  const branches = [{ pattern: `^${first}$`, type: "string" }, { enum: others, type: "string" }, int32];
  return { anyOf: branches, default: 0, title: title(type) };
}

/** Names with spaces, also in the middle of a word, as the published titles have them. */
function title(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ");
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
