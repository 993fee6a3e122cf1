import { isDeepStrictEqual } from "node:util";
import { _, type Code, type CodeKeywordDefinition, type KeywordCxt, stringify } from "ajv/dist/2020.js";

/**
 * Rules for which ajv's printed code would `require` functions of ajv. These print all they need. Texts are counted in
 * characters of Unicode, and values compared member by member, as JSON Schema wants it.
 */
export const ownKeywords: readonly CodeKeywordDefinition[] = [
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
      if (schema !== true) return;
      const first = _`${data}.findIndex((other) => ${equal(cxt)}(item, other))`;
      cxt.fail(_`${data}.some((item, index) => ${first} !== index)`);
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
  if (typeof value === "object" && value !== null) return _`${equal(cxt)}(${cxt.data}, ${stringify(value)})`;
  return _`${cxt.data} === ${stringify(value)}`;
}

/** The printed function that compares two JSON values. */
function equal({ gen }: KeywordCxt): Code {
  return gen.scopeValue("func", {
    key: "equal",
    ref: isDeepStrictEqual,
    code: _`(function equal(one, other) {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && equal(one[key], other[key]));
})`,
  });
}
