import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { fileFailure } from "../failure.js";
import type { Source } from "./contracts.js";
import { ownKeywords } from "./keywords.js";

/**
 * Code with one check for each schema, printed by ajv as a module that imports nothing. A check stops at the first fault;
 * `format` only annotates, as draft 2020-12 has it.
 * @throws Failure naming the schema that is not valid
 */
export function printValidators(sources: readonly Source[]): string {
  const ajv = new Ajv2020({
    code: { esm: true, source: true, lines: true, optimize: 2 },
    strict: false,
    validateFormats: false,
    logger: false,
  });
  for (const keyword of ownKeywords) {
    ajv.removeKeyword(String(keyword.keyword));
    ajv.addKeyword(keyword);
  }
  for (const { origin, schema, check } of sources) {
    const { $schema = DRAFT } = schema;
    if (String($schema).replace(/#$/, "") !== DRAFT)
      throw fileFailure(`${origin} is written for ${$schema}; only draft 2020-12 is read, which is ${DRAFT}`);
    refuseUnsafe(schema, origin);
    try {
      ajv.addSchema(schema, check);
      ajv.getSchema(check);
    } catch (error) {
      throw fileFailure(`${origin} is no valid JSON Schema`, error);
    }
  }
  const text = standalone.default(ajv, Object.fromEntries(sources.map(({ check }) => [check, check])));
  const foreign = /^const \w+ = (require\(.*)$/m.exec(text);
  if (foreign) throw new Error(`The checks cannot stand alone: they need ${foreign[1]}`);
  return text;
}

/** Ids are printed into comments, and a schema may come from a stranger's card. */
function refuseUnsafe(schema: Source["schema"], origin: string): void {
  JSON.stringify(schema, (key, value: unknown) => {
    if (key === "$id" && typeof value === "string" && !/^[\w:/.#?=&%~+-]*$/.test(value))
      throw fileFailure(`${origin}: $id ${JSON.stringify(value)} is no URI`);
    return value;
  });
}

const DRAFT = "https://json-schema.org/draft/2020-12/schema";
