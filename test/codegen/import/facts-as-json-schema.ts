import { readFileSync } from "node:fs";

type Json = Record<string, unknown>;

/** What the definition of a version before 1.0 says, each member as one word: `AgentSkill[]*` is a required list. */
export interface EarlyFacts {
  readonly protocolVersion: string;
  readonly types: Record<string, string | Record<string, string>>;
  readonly methods: Record<string, { params: string; result: string | null }>;
  readonly errors: Record<string, { code: number; message: string }>;
}

/** The facts of 0.1 or 0.3, afresh. */
export function earlyFacts(version: string): EarlyFacts {
  return JSON.parse(readFileSync(new URL(`../../facts/v${version}.json`, import.meta.url), "utf8"));
}

/** A JSON Schema in the manner of the official ones: under `definitions` (0.3) or `$defs` (0.1). */
export function factsAsJsonSchema(
  { types, methods, errors }: EarlyFacts,
  place: "definitions" | "$defs",
): Json {
  const value = (word: string): Json => shapeOf(word, { types, place });
  const definitions: Json = { JSONRPCError: object({ code: "integer*", message: "string*" }, value) };
  for (const [name, type] of Object.entries(types)) {
    definitions[name] = typeof type === "string" ? value(type) : object(type, value);
  }
  for (const [name, { code, message }] of Object.entries(errors)) {
    definitions[name] = {
      type: "object",
      properties: {
        code: { const: code, type: "integer" },
        message: { default: message, type: "string" },
        data: {},
      },
    };
  }
  const requests = Object.entries(methods).map(([method, { params, result }]) => {
    const words = method.replace(/(?:^|\/)(.)/g, (_, letter: string) => letter.toUpperCase());
    // The official names say that a send is streamed; the method of 0.1 does not.
    const stem = words.replace("SendSubscribe", "SendStreaming");
    const own = params === "none" ? {} : { params: value(params) };
    definitions[`${stem}Request`] = {
      type: "object",
      properties: {
        jsonrpc: { const: "2.0", type: "string" },
        method: { const: method, type: "string" },
        ...own,
      },
    };
    const success = {
      jsonrpc: { const: "2.0", type: "string" },
      result: result === null ? {} : value(result),
    };
    if (result !== null) definitions[`${stem}SuccessResponse`] = { type: "object", properties: success };
    return { $ref: `#/${place}/${stem}Request` };
  });
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    [place]: { A2ARequest: { anyOf: requests }, ...definitions },
  };
}

function object(members: Record<string, string>, value: (word: string) => Json): Json {
  const required = Object.keys(members).filter((name) => members[name]?.endsWith("*"));
  const properties = Object.entries(members).map(([name, word]) => [name, value(word.replace(/\*$/, ""))]);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  };
}

interface Place {
  readonly types: EarlyFacts["types"];
  readonly place: string;
}

const plain: Json = {
  string: { type: "string" },
  boolean: { type: "boolean" },
  integer: { type: "integer" },
  null: { type: "null" },
  object: { type: "object", additionalProperties: {} },
  timestamp: { type: "string", format: "date-time" },
};

function shapeOf(word: string, at: Place): Json {
  const known = plain[word];
  if (known !== undefined) return known as Json;
  if (word.endsWith("[]")) return { type: "array", items: shapeOf(word.slice(0, -2), at) };
  const inner = /^map<(.+)>$/.exec(word)?.[1];
  if (inner !== undefined) return { type: "object", additionalProperties: shapeOf(inner, at) };
  if (word.startsWith("const ")) return { const: word.slice("const ".length), type: "string" };
  const names = word.split("|");
  if (!names.every((name) => Object.hasOwn(at.types, name))) return { type: "string", enum: names };
  const references = names.map((name) => ({ $ref: `#/${at.place}/${name}` }));
  return references.length > 1 ? { anyOf: references } : (references[0] ?? {});
}
