import type { Change, ChangeKind, Subject } from "./change.js";
import {
  type Contract,
  type Definition,
  type Definitions,
  limits,
  type Property,
  type Shape,
  targetOf,
} from "./contract.js";
import { describeShape } from "./describe-shape.js";
import { groupsOf } from "./groups.js";
import type { Official } from "./official.js";

/**
 * Compares what travels, whatever the types are called: requests and answers of every method and the card, member by member.
 * For artifacts of 0.x, whose definitions are cut in another way than ours. Formats and limits of strings are ours and are
 * left out.
 */
export function compareWire({ schema, operations }: Contract, official: Official): WireComparison {
  const comparison = new WireComparison(schema.$defs, official.definitions);
  comparison.values(reference("AgentCard"), reference("AgentCard"), "AgentCard");
  for (const row of official.operations ?? []) {
    const ours = operations.operations.find(({ method }) => method === row.method);
    if (ours === undefined) {
      comparison.note("added", "operation", row.method, `${row.request} -> ${row.response ?? "nothing"}`);
      continue;
    }
    comparison.values(reference(ours.request), reference(row.request), ours.request);
    comparison.values(reference(ours.response), reference(row.response), ours.response ?? row.method);
  }
  const gone = operations.operations.filter(
    ({ method, textOnly }) => textOnly !== true && !official.operations?.some((row) => row.method === method),
  );
  for (const { method } of gone) comparison.note("removed", "operation", method, "no longer there");
  compareCodes({ schema, operations }, official, comparison);
  return comparison;
}

function reference(name: string | null): Shape {
  return name === null ? {} : { $ref: `#/$defs/${name}` };
}

/** Errors by number; those of the envelope and of the transport are ours. */
function compareCodes({ operations }: Contract, { errors = [] }: Official, comparison: WireComparison): void {
  const ours = operations.errors.filter(({ kind }) => kind !== "transport");
  for (const { name, jsonRpcCode, message } of errors) {
    const row = ours.find((candidate) => candidate.jsonRpcCode === jsonRpcCode);
    if (row === undefined) comparison.note("added", "error", name, `${jsonRpcCode}`);
    else if (message !== undefined && message !== row.message) {
      comparison.note("changed", "error", row.code, `"${row.message}" is "${message}"`);
    }
  }
  for (const { code, jsonRpcCode, textOnly } of ours) {
    if (textOnly === true || errors.some((error) => error.jsonRpcCode === jsonRpcCode)) continue;
    comparison.note("removed", "error", code, `${jsonRpcCode}`);
  }
}

/** Walks two sets of definitions side by side; each pair of definitions is compared once. */
class WireComparison {
  readonly changes: Change[] = [];
  /** Definitions that travel in the same place: ours by the name of theirs, the first of several. */
  readonly pairs = new Map<string, string>();
  readonly #seen = new Set<string>();
  readonly #ours: Definitions;
  readonly #theirs: Definitions;

  constructor(ours: Definitions, theirs: Definitions) {
    this.#ours = ours;
    this.#theirs = theirs;
  }

  note(kind: ChangeKind, subject: Subject, path: string, text: string): void {
    this.changes.push({ kind, subject, path, text, breaking: kind !== "added" });
  }

  values(ours: Shape, theirs: Shape, path: string): void {
    const [our, their] = [targetOf(ours), targetOf(theirs)];
    if (our !== undefined && their !== undefined) {
      const pair = `${our} ${their}`;
      if (this.#seen.has(pair)) return;
      this.#seen.add(pair);
      if (!this.pairs.has(their)) this.pairs.set(their, our);
    }
    const place = targetOf(ours) ?? path;
    const [before, after] = [resolve(ours, this.#ours), resolve(theirs, this.#theirs)];
    const [was, now] = [kindOf(before), kindOf(after)];
    for (const limit of limits) {
      const [old, limited] = [before[limit], after[limit]];
      if (limited === undefined || old === limited || was !== now) continue;
      this.note("changed", "field", path, `${limit} ${old ?? "nothing"} is ${limited}`);
    }
    if (was !== now) this.note("changed", "field", path, `${was} is ${now}`);
    else if (before.items && after.items) this.values(before.items, after.items, place);
    else if (before.additionalProperties && after.additionalProperties) {
      this.values(before.additionalProperties, after.additionalProperties, place);
    } else if (before.enum && after.enum) this.#names(before.enum, after.enum, place, "enum value");
    else if (before["x-discriminator"]) this.#alternatives(before, after, place);
    else if (before.properties) this.#members(before, after, place);
  }

  #names(before: readonly string[], after: readonly string[], place: string, subject: Subject): void {
    for (const name of after.filter((value) => !before.includes(value))) {
      this.note("added", subject, `${place}.${name}`, "a value");
    }
    for (const name of before.filter((value) => !after.includes(value))) {
      this.note("removed", subject, `${place}.${name}`, "a value");
    }
  }

  /** Alternatives belong together when their constant is the same. */
  #alternatives(before: Definition, after: Definition, place: string): void {
    const [ours, theirs] = [branches(before, this.#ours), branches(after, this.#theirs)];
    this.#names([...ours.keys()], [...theirs.keys()], place, "message");
    for (const [tag, branch] of ours) {
      const other = theirs.get(tag);
      if (other !== undefined) this.values(branch, other, `${place}.${tag}`);
    }
  }

  #members(before: Definition, after: Definition, place: string): void {
    const [ours, theirs] = [before.properties ?? {}, after.properties ?? {}];
    for (const [name, property] of Object.entries(theirs)) {
      const path = `${place}.${name}`;
      const known = ours[name];
      if (known === undefined) {
        this.note("added", "field", path, describeShape(property));
        continue;
      }
      const [was, now] = [presenceOf(before, name), presenceOf(after, name)];
      if (was !== now) this.note("changed", "field", path, `${was} is ${now}`);
      if (known["x-text-only"] !== true) this.values(known, property, path);
    }
    for (const [name, property] of Object.entries(ours)) {
      if (Object.hasOwn(theirs, name) || property["x-text-only"] === true) continue;
      this.note("removed", "field", `${place}.${name}`, describeShape(property));
    }
  }
}

/** The definition that a shape refers to, through named lists and maps. */
export function resolve(shape: Shape, definitions: Definitions): Definition & Property {
  const target = targetOf(shape);
  const definition = target === undefined ? undefined : definitions[target];
  return definition ?? shape;
}

export function kindOf(value: Definition & Property): string {
  if (value.enum !== undefined) return "enum";
  if (value["x-discriminator"] !== undefined) return `one of several by ${value["x-discriminator"]}`;
  if (value.properties !== undefined) return "object";
  if (value.items !== undefined) return "list";
  if (value.additionalProperties !== undefined) return "map";
  if (value.type === "string" && value.const === undefined) return "string";
  return describeShape(value);
}

export function branches(definition: Definition, definitions: Definitions): Map<string, Shape> {
  const tag = definition["x-discriminator"] ?? "";
  return new Map(
    (definition.oneOf ?? []).map((branch) => {
      const properties = definitions[targetOf(branch) ?? ""]?.properties;
      return [properties?.[tag]?.const ?? "", branch];
    }),
  );
}

export function presenceOf(definition: Definition, name: string): string {
  if (definition.required?.includes(name)) return "required";
  return groupsOf(definition).some(({ members }) => members.includes(name)) ? "one of a group" : "optional";
}
