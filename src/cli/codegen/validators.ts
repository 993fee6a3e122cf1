import {
  _,
  Ajv2020,
  type Code,
  type CodeKeywordDefinition,
  type KeywordCxt,
  stringify,
} from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { canonicalJson } from "../../json/canonical-json.js";
import { fileFailure } from "../failure.js";
import type { SchemaSource } from "./contracts.js";
import type { Problems } from "./problems.js";

/**
 * Keywords for which the code printed by ajv would import functions of ajv. These implementations print everything they need. Strings are
 * counted in Unicode characters and values are compared deeply, as JSON Schema requires.
 */
const ownKeywords: readonly CodeKeywordDefinition[] = [
  lengthKeyword("minLength", "<", "fewer"),
  lengthKeyword("maxLength", ">", "more"),
  {
    keyword: "const",
    error: {
      message: ({ schema }) => stringify(`must be ${JSON.stringify(schema)}`),
      params: ({ schema }) => _`{allowedValue: ${stringify(schema)}}`,
    },
    code: (cxt) => cxt.fail(_`!(${isEqual(cxt, cxt.schema)})`),
  },
  {
    keyword: "enum",
    schemaType: "array",
    error: {
      message: "must be equal to one of the allowed values",
      params: ({ schema }) => _`{allowedValues: ${stringify(schema)}}`,
    },
    code(cxt) {
      const values: readonly unknown[] = cxt.schema;
      const others = values.map((value) => _`!(${isEqual(cxt, value)})`);
      cxt.fail(others.reduce((left, right) => _`${left} && ${right}`));
    },
  },
  {
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    error: { message: "must not have equal items" },
    code(cxt) {
      const { data, schema } = cxt;
      if (schema === true) cxt.fail(_`new Set(${data}.map(${canonical(cxt)})).size !== ${data}.length`);
    },
  },
];

function lengthKeyword(keyword: string, wrong: "<" | ">", word: string): CodeKeywordDefinition {
  return {
    keyword,
    type: "string",
    schemaType: "number",
    error: {
      message: ({ schema }) => stringify(`must not have ${word} than ${schema} characters`),
      params: ({ schema }) => _`{limit: ${schema}}`,
    },
    code(cxt: KeywordCxt) {
      const length = _`[...${cxt.data}].length`;
      cxt.fail(wrong === "<" ? _`${length} < ${cxt.schema}` : _`${length} > ${cxt.schema}`);
    },
  };
}

function isEqual(cxt: KeywordCxt, value: unknown): Code {
  if (typeof value !== "object" || value === null) return _`${cxt.data} === ${stringify(value)}`;
  return _`${canonical(cxt)}(${cxt.data}) === ${stringify(canonicalJson(value))}`;
}

/** Prints a function that maps equal JSON values to equal strings: {@link canonicalJson} in plain JavaScript. */
function canonical({ gen }: KeywordCxt): Code {
  return gen.scopeValue("func", {
    key: "canonical",
    ref: canonicalJson,
    code: _`(function canonical(value) {
  if (Array.isArray(value)) return "[" + value.map((item) => canonical(item)).join() + "]";
  if (typeof value !== "object" || value === null) return String(JSON.stringify(value));
  const names = Object.keys(value).filter((name) => value[name] !== undefined).sort();
  return "{" + names.map((name) => JSON.stringify(name) + ":" + canonical(value[name])).join() + "}";
})`,
  });
}

/**
 * Prints a module with one validator per schema that imports nothing. A validator stops at the first error; `format` is only an
 * annotation, as in draft 2020-12. Invalid schemas are recorded as problems.
 */
export function printValidators(sources: readonly SchemaSource[], problems: Problems): string {
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
  const valid = sources.filter(({ origin, schema, check }) =>
    problems.attempt(() => {
      refuseUnsafe(schema, origin);
      try {
        ajv.addSchema(schema, check);
        ajv.getSchema(check);
      } catch (error) {
        throw fileFailure(`${origin} is not a valid JSON Schema`, error);
      }
      return true;
    }),
  );
  const text = standalone.default(ajv, Object.fromEntries(valid.map(({ check }) => [check, check])));
  const foreign = /^const \w+ = (require\(.*)$/m.exec(text);
  if (foreign) throw new Error(`The printed validators must not import ${foreign[1]}`);
  return text;
}

/** Refuses ids that are not URIs, because ids are printed into comments and a schema may come from an untrusted card. @throws Failure */
function refuseUnsafe(schema: SchemaSource["schema"], origin: string): void {
  JSON.stringify(schema, (key, value: unknown) => {
    if (key === "$id" && typeof value === "string" && !/^[\w:/.#?=&%~+-]*$/.test(value))
      throw fileFailure(`${origin}: $id ${JSON.stringify(value)} is not a URI`);
    return value;
  });
}
