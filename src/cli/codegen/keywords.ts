import { _, type Code, type CodeKeywordDefinition, type KeywordCxt, stringify } from "ajv/dist/2020.js";
import { canonicalJson } from "../../card/canonical-json.js";

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

/** The printed function that gives equal JSON values equal texts: {@link canonicalJson} in plain JavaScript. */
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
