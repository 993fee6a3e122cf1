import {
  type FormDocument,
  type FormKind,
  formKind,
  oneOfNames,
  resolveNode,
  type SchemaNode,
} from "./form-schema.js";

/** The way to a member: names and positions. */
export type ValuePath = readonly (string | number)[];

/** Something wrong with a value. */
export interface SchemaProblem {
  readonly path: ValuePath;
  readonly message: string;
}

/** What is checked: a value, its node, and where it is. */
interface Checked {
  readonly value: unknown;
  readonly node: SchemaNode;
  readonly document: FormDocument;
  readonly path: ValuePath;
}

/** What is wrong with a value by its schema, in words for people. */
export function schemaProblems(
  value: unknown,
  node: SchemaNode,
  document: FormDocument,
  path: ValuePath = [],
): readonly SchemaProblem[] {
  const resolved = resolveNode(node, document);
  return checks[formKind(resolved)]({ value, node: resolved, document, path });
}

const one = (path: ValuePath, message: string): readonly SchemaProblem[] => [{ path, message }];

const checks: Readonly<Record<FormKind, (checked: Checked) => readonly SchemaProblem[]>> = {
  object: (checked) =>
    isRecord(checked.value) ? inObject(checked) : one(checked.path, "This must be an object"),
  list: ({ value, node, document, path }) => {
    if (!Array.isArray(value)) return one(path, "This must be a list");
    const { items = {}, minItems = 0 } = node;
    if (value.length < minItems)
      return one(path, `At least ${minItems === 1 ? "one entry" : `${minItems} entries`}`);
    return value.flatMap((each, index) => schemaProblems(each, items, document, [...path, index]));
  },
  choice: ({ value, node: { enum: known = [] }, path }) =>
    known.includes(value as string) ? [] : one(path, `One of ${known.join(", ")}`),
  text: (checked) => inText(checked),
  bytes: (checked) => {
    const found = inText(checked);
    if (found.length > 0) return found;
    return isBase64(String(checked.value)) ? [] : one(checked.path, "This must be base64 with padding");
  },
  time: (checked) => {
    const found = inText(checked);
    if (found.length > 0) return found;
    const isTime = /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(String(checked.value));
    return isTime && !Number.isNaN(Date.parse(String(checked.value)))
      ? []
      : one(checked.path, "A time such as 2026-01-31T12:00:00Z");
  },
  number: ({ value, node, path }) => {
    if (typeof value !== "number") return one(path, "This must be a number");
    const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = node;
    if (node.type === "integer" && !Number.isInteger(value)) return one(path, "This must be a whole number");
    if (value < minimum) return one(path, `At least ${minimum}`);
    return value > maximum ? one(path, `At most ${maximum}`) : [];
  },
  boolean: ({ value, path }) => (typeof value === "boolean" ? [] : one(path, "This must be true or false")),
  json: ({ value, node, path }) =>
    node.type === "object" && !isRecord(value) ? one(path, "This must be an object") : [],
};

function inObject({ value, node, document, path }: Checked): readonly SchemaProblem[] {
  const { properties = {}, required = [] } = node;
  const record = value as Readonly<Record<string, unknown>>;
  const missing = required.filter((name) => record[name] === undefined);
  const present = oneOfNames(node).filter((name) => Object.hasOwn(record, name));
  const names = oneOfNames(node);
  const choice = names.length > 0 && present.length !== 1;
  return [
    ...missing.map((name) => ({ path: [...path, name], message: `“${name}” is required` })),
    ...(choice
      ? one(path, `Exactly one of ${names.join(", ")}${present.length > 1 ? `, not ${present.length}` : ""}`)
      : []),
    ...Object.entries(record).flatMap(([name, member]) => {
      const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (inner === undefined) return one([...path, name], `The protocol has no member “${name}” here`);
      return member === undefined ? [] : schemaProblems(member, inner, document, [...path, name]);
    }),
  ];
}

function inText({ value, node: { minLength = 0 }, path }: Checked): readonly SchemaProblem[] {
  if (typeof value !== "string") return one(path, "This must be text");
  return value.length < minLength ? one(path, "This must not be empty") : [];
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z\d+/]*={0,2}$/.test(text);
}
