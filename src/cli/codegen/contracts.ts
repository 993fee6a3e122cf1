import { publishedSchemas } from "../../agent/skills/published.js";
import type { JsonSchema } from "../../json/json-schema.js";
import { toDraft2020 } from "../../json/schema/dialect.js";
import type { AgentCard } from "../../protocol/model.js";
import { fileFailure } from "../failure.js";
import type { Problems } from "./problems.js";
import { selfContained } from "./self-contained.js";

/**
 * Builds the name of a type from the words of a text: `get-quote input` becomes `GetQuoteInput`.
 * @throws Failure for a text without words, or with other characters than letters of ASCII and digits in them
 */
export function typeName(text: string): string {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  if (!/^[A-Za-z0-9]+$/.test(name)) {
    throw fileFailure(`${JSON.stringify(text)} gives no name for a type: use the letters a to z, and digits`);
  }
  return /^\d/.test(name) ? `Of${name}` : name;
}

/** Builds the name of a constant in the same way: `getQuoteInput`. */
function memberName(text: string): string {
  const name = typeName(text);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** A JSON Schema that becomes a type and a validator. */
export interface SchemaSource {
  /** Where it comes from, for error messages. */
  readonly origin: string;
  readonly schema: JsonSchema;
  /** Name of its type, such as `QuoteInput`. */
  readonly type: string;
  /** Name of its validator, such as `quoteInput`. */
  readonly check: string;
}

/** A skill with its schemas. An input or output without a schema is text. */
export interface SkillSource {
  readonly id: string;
  readonly input: SchemaSource | undefined;
  readonly output: SchemaSource | undefined;
}

/** An extension with the schema of its data. The schema's `$id` is the URI of the extension. */
export interface ExtensionSource {
  readonly uri: string;
  readonly description: string | undefined;
  /** Name of its constant. */
  readonly constant: string;
  readonly metadata: SchemaSource;
}

/** The input of the code generator. */
export interface Contracts {
  readonly skills: readonly SkillSource[];
  readonly extensions: readonly ExtensionSource[];
}

/** A schema, and where it was found. */
export interface FoundSchema {
  readonly origin: string;
  readonly schema: JsonSchema;
}

/** Schemas by role: a skill has `input` and `output`, an extension has `metadata`. */
export type Parts = Readonly<Record<string, FoundSchema>>;

/** Schemas of skills by id, and those of extensions by name. */
export interface FoundSchemas {
  readonly skills: ReadonlyMap<string, Parts>;
  readonly extensions: ReadonlyMap<string, Parts>;
}

/**
 * Names all types and constants. Names that collide, and extensions without a URI, are recorded as problems.
 * @throws Failure when there is no usable schema
 */
export function contractsOf({ skills, extensions }: FoundSchemas, problems: Problems): Contracts {
  const contracts = {
    skills: sorted(skills).map(([id, parts]): SkillSource => {
      const source = (side: "input" | "output") => {
        const found = parts[side];
        return found && problems.attempt(() => sourceOf(id, side, found));
      };
      return { id, input: source("input"), output: source("output") };
    }),
    extensions: sorted(extensions).flatMap(([name, { metadata }]): ExtensionSource[] => {
      const extension = metadata && problems.attempt(() => extensionOf(name, metadata));
      return extension ? [extension] : [];
    }),
  };
  const sources = sourcesOf(contracts);
  for (const [index, { type, origin }] of sources.entries()) {
    const other = sources.slice(0, index).find((one) => one.type === type);
    if (other) problems.add(`${other.origin} and ${origin} would both be called ${type}`);
  }
  if (sources.length === 0) problems.throwAny();
  if (sources.length === 0) throw fileFailure("There is no schema of a skill or of an extension");
  return contracts;
}

/** The schemas in an agent's card. Problems are recorded for schemas that cannot be used. */
export function schemasInCard(card: AgentCard, problems: Problems): FoundSchemas {
  const skills = [...publishedSchemas(card)].map(([id, sides]) => {
    const parts = Object.entries(sides).flatMap(([side, schema]: [string, JsonSchema]) => {
      const origin = `the ${side} of ${JSON.stringify(id)}`;
      const usable = problems.attempt(() => standalone(schema, origin));
      return usable ? [[side, { origin, schema: usable }] as const] : [];
    });
    return [id, Object.fromEntries(parts)] as const;
  });
  return { skills: new Map(skills), extensions: new Map() };
}

/** A schema that is not in a file, and that therefore cannot refer to others. @throws Failure */
function standalone(schema: JsonSchema, origin: string): JsonSchema {
  const path = "schema.json";
  return selfContained(path, origin, new Map([[path, inDraft2020(schema, origin)]]));
}

/**
 * Converts a schema to draft 2020-12.
 * @throws Failure for an unknown dialect
 */
export function inDraft2020(schema: JsonSchema, origin: string): JsonSchema {
  try {
    return toDraft2020(schema);
  } catch (error) {
    throw fileFailure(`${origin} ${(error as Error).message}`);
  }
}

/** All schemas of some contracts, in the order of the generated code. */
export function sourcesOf({ skills, extensions }: Contracts): SchemaSource[] {
  return [
    ...skills.flatMap(({ input, output }) => [...(input ? [input] : []), ...(output ? [output] : [])]),
    ...extensions.map(({ metadata }) => metadata),
  ];
}

function sourceOf(name: string, role: string, found: FoundSchema): SchemaSource {
  const words = `${name} ${role}`;
  return { ...found, type: typeName(words), check: memberName(words) };
}

function extensionOf(name: string, found: FoundSchema): ExtensionSource {
  const { $id: uri, description } = found.schema;
  if (typeof uri !== "string" || uri === "") {
    throw fileFailure(`${found.origin} needs the URI of the extension as its $id`);
  }
  return {
    uri,
    description: typeof description === "string" ? description : undefined,
    constant: memberName(`${name} extension`),
    metadata: sourceOf(name, "metadata", found),
  };
}

/** Sorts independently of the machine's locale. */
function sorted(schemas: ReadonlyMap<string, Parts>): [string, Parts][] {
  return [...schemas].sort(([one], [other]) => (one < other ? -1 : 1));
}
