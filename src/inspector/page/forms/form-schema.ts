/** A node of a JSON Schema of the protocol. */
export interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly enum?: readonly string[];
  readonly "x-enum-descriptions"?: Readonly<Record<string, string>>;
  readonly format?: string;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Exactly one of these members is present. */
  readonly oneOf?: readonly { readonly required?: readonly string[] }[];
  readonly additionalProperties?: boolean | SchemaNode;
  readonly $ref?: string;
}

/** A document of definitions. */
export interface FormDocument {
  readonly $defs: Readonly<Record<string, SchemaNode>>;
}

/** The definition that a node refers to, with the node's own description; a node without a reference is its own. */
export function resolveNode(node: SchemaNode, { $defs }: FormDocument): SchemaNode {
  if (node.$ref === undefined) return node;
  const found = $defs[node.$ref.replace("#/$defs/", "")] ?? {};
  return node.description === undefined ? found : { ...found, description: node.description };
}

/** How a node is entered. */
export type FormKind =
  | "object"
  | "list"
  | "choice"
  | "text"
  | "number"
  | "boolean"
  | "bytes"
  | "time"
  | "json";

/** How a resolved node is entered. Objects without members and values of any type are entered as JSON. */
export function formKind(node: SchemaNode): FormKind {
  if (node.enum !== undefined) return "choice";
  if (node.properties !== undefined) return "object";
  if (node.type === "array") return "list";
  if (node.type === "boolean") return "boolean";
  if (node.type === "integer" || node.type === "number") return "number";
  if (node.type !== "string") return "json";
  return node.format === "byte" ? "bytes" : node.format === "date-time" ? "time" : "text";
}

/** Names of the members of which exactly one is present; empty when there is no such rule. */
export function oneOfNames({ oneOf = [] }: SchemaNode): readonly string[] {
  return oneOf.flatMap(({ required = [] }) => required);
}

/** A value to begin with: what is required, empty. */
export function blankValue(node: SchemaNode, document: FormDocument): unknown {
  const resolved = resolveNode(node, document);
  return empties[formKind(resolved)](resolved, document);
}

const empties: Readonly<Record<FormKind, (node: SchemaNode, document: FormDocument) => unknown>> = {
  object: (node, document) => {
    const { properties = {}, required = [] } = node;
    const [first] = oneOfNames(node);
    const names = first === undefined ? required : [...required, first];
    return Object.fromEntries(names.map((name) => [name, blankValue(properties[name] ?? {}, document)]));
  },
  list: ({ items = {}, minItems = 0 }, document) => (minItems > 0 ? [blankValue(items, document)] : []),
  choice: ({ enum: values = [] }) => values.find((value) => !value.endsWith("_UNSPECIFIED")) ?? "",
  text: () => "",
  bytes: () => "",
  time: () => new Date(0).toISOString(),
  number: ({ minimum = 0 }) => minimum,
  boolean: () => true,
  json: () => ({}),
};

/** What a node is for, as plain text: descriptions mark names with backticks. */
export function plainHint({ description }: SchemaNode): string | undefined {
  return description?.replaceAll("`", "");
}
