import { _, type Code, type CodeKeywordDefinition, type KeywordCxt, Name, nil, stringify } from "ajv";
import { regexpCode } from "ajv/dist/compile/codegen/code.js";
import { Type } from "ajv/dist/compile/util.js";
import type { Oneof } from "../spec-model.js";
import { stringFormats } from "./formats.js";

/** ajv's counter of errors in the printed function. */
const errors = new Name("errors");

/**
 * The object has no member outside the list. Does what `additionalProperties: false` does, but prints plain
 * comparisons for any number of members, and a member whose value is `undefined` counts as absent.
 */
const closedKeyword: CodeKeywordDefinition = {
  keyword: "closed",
  type: "object",
  schemaType: "array",
  trackErrors: true,
  before: "properties",
  error: {
    message: "must not have unknown members",
    params: ({ params }) => _`{additionalProperty: ${params.member}}`,
  },
  code(cxt: KeywordCxt) {
    const { gen, data, errsCount } = cxt;
    const known: readonly string[] = cxt.schema;
    gen.forIn("member", data, (member: Name) => {
      const unknown = known.map((name) => _`${member} !== ${name}`);
      gen.if(all([...unknown, _`${data}[${member}] !== undefined`]), () => {
        cxt.setParams({ member });
        cxt.error();
        gen.break();
      });
    });
    cxt.ok(_`${errsCount} === ${errors}`);
  },
};

/** The keyword for a group of members. */
export function groupRule({ required }: Pick<Oneof, "required">): "exactlyOne" | "atMostOne" {
  return required ? "exactlyOne" : "atMostOne";
}

/** Exactly or at most one member of the list is present. Any value but `undefined` is present, null included. */
const groupKeyword = (required: boolean): CodeKeywordDefinition => ({
  keyword: groupRule({ required }),
  type: "object",
  schemaType: "array",
  before: "properties",
  error: {
    message: ({ schema }) =>
      stringify(`must have ${required ? "exactly" : "at most"} one of ${schema.join(", ")}`),
    params: ({ schema, data }) =>
      _`{members: ${stringify(schema)}, present: ${stringify(schema)}.filter((member) => ${data}[member] !== undefined)}`,
  },
  code(cxt: KeywordCxt) {
    const members: readonly string[] = cxt.schema;
    const flags = members.map((name) => _`(${cxt.data}[${name}] !== undefined)`);
    const count = flags.reduce((sum, flag) => _`${sum} + ${flag}`);
    cxt.fail(required ? _`${count} !== 1` : _`${count} > 1`);
  },
});

/** Every value of a map is valid by the schema: like `additionalProperties`, but a value `undefined` counts as absent. */
const entriesKeyword: CodeKeywordDefinition = {
  keyword: "entries",
  type: "object",
  schemaType: "object",
  trackErrors: true,
  code(cxt: KeywordCxt) {
    const { gen, data, errsCount } = cxt;
    const valid = gen.name("valid");
    gen.forIn("key", data, (key: Name) => {
      gen.if(_`${data}[${key}] !== undefined`, () => {
        cxt.subschema({ keyword: "entries", dataProp: key, dataPropType: Type.Str }, valid);
        gen.if(_`!${valid}`, () => gen.break());
      });
    });
    cxt.ok(_`${errsCount} === ${errors}`);
  },
};

/**
 * Minimum length of a string in UTF-16 units. ajv's own keyword counts code points with a function that the generated
 * module would have to `require`.
 */
const minLengthKeyword: CodeKeywordDefinition = {
  keyword: "minLength",
  type: "string",
  schemaType: "number",
  error: {
    message: ({ schema }) => stringify(`must not have fewer than ${schema} characters`),
    params: ({ schema }) => _`{limit: ${schema}}`,
  },
  code(cxt: KeywordCxt) {
    cxt.fail(_`${cxt.data}.length < ${cxt.schema}`);
  },
};

/**
 * Canonical form of a string. ajv's own keyword only supports regular expressions. The length of base64 is checked separately, because
 * an expression that counts groups of four overflows the stack for long strings.
 */
const formatKeyword: CodeKeywordDefinition = {
  keyword: "format",
  type: "string",
  schemaType: "string",
  error: {
    message: ({ schema }) => stringify(`must match format "${schema}"`),
    params: ({ schema }) => _`{format: ${stringify(schema)}}`,
  },
  code(cxt: KeywordCxt) {
    const { gen, data } = cxt;
    const format = stringFormats.get(cxt.schema);
    if (format === undefined) throw new Error(`unknown format ${cxt.schema}`);
    const { pattern, lengthUnit } = format;
    const expression = gen.scopeValue("formats", {
      key: cxt.schema,
      ref: pattern,
      code: regexpCode(pattern),
    });
    const length = lengthUnit === 1 ? nil : _`${data}.length % ${lengthUnit} !== 0 || `;
    cxt.fail(_`${length}!${expression}.test(${data})`);
  },
};

/** The keywords that replace or complete ajv's own in the printed validators. */
export const ownKeywords: readonly CodeKeywordDefinition[] = [
  groupKeyword(true),
  groupKeyword(false),
  closedKeyword,
  entriesKeyword,
  minLengthKeyword,
  formatKeyword,
];

function all(conditions: readonly Code[]): Code {
  return conditions.reduce((left, right) => _`${left} && ${right}`);
}
