import { type Level, levels } from "../spec-model.js";
import type { Contract, OperationRow, Route } from "./contract.js";
import type { Merged } from "./merge.js";
import type { Official } from "./official.js";
import type { SpecificationText, TextMethod } from "./read-text.js";
import { type Rule, rulesIn } from "./rules.js";

/** A merged version with what the text adds to it. */
export interface WithText extends Merged {
  /** Where the text says something else than the file. */
  readonly contradictions: readonly string[];
  /** Rules of the text about additions. */
  readonly rulesOnNew: readonly Rule[];
}

/**
 * Adds to a merged version what the table of methods has beyond the file, and the level of every addition in it: the strongest in a
 * sentence that names it.
 * @param comments rules in the comments of the file
 * @param before the version that it adds to; undefined for the first of its major
 */
export function applyText(
  merged: Merged,
  text: SpecificationText,
  comments: readonly Rule[],
  before: Contract | undefined,
): WithText {
  const { schema, operations } = merged.contract;
  const contradictions = [...errorContradictions(operations.errors, text)];
  const rows = operations.operations.map((row) =>
    withRoutes(row, text.methods, merged.contract, contradictions),
  );
  const known = new Set(rows.map(({ method }) => method));
  for (const { method } of text.methods) {
    if (!known.has(method))
      contradictions.push(
        `method ${method} is in the text only: its messages are not known; a row in operations.json with "textOnly": true defines it`,
      );
  }
  const rules = [...text.rules, ...comments];
  const { levels: _, ...kept } = operations;
  const found = newNames(merged.contract, before).map(
    (name) => [name, rules.filter(name.isNamedIn)] as const,
  );
  const leveled = found.flatMap(([{ path }, named]): [string, Level][] => {
    const level = levels.find((candidate) => named.some((rule) => rule.level === candidate));
    return level === undefined ? [] : [[path, level]];
  });
  return {
    ...merged,
    contract: {
      schema,
      operations: {
        ...kept,
        operations: rows,
        ...(leveled.length > 0 && { levels: Object.fromEntries(leveled) }),
      },
    },
    contradictions,
    rulesOnNew: [...new Set(found.flatMap(([, named]) => named))].filter(({ level }) => level !== "MAY"),
  };
}

/** The rules in the comments of a file. */
export function commentRules({ definitions, operations = [] }: Official): Rule[] {
  const commented = Object.entries(definitions).flatMap(([name, definition]) => [
    [name, definition.description] as const,
    ...Object.entries(definition.properties ?? {}).map(
      ([member, property]) => [`${name}.${member}`, property.description] as const,
    ),
    ...Object.entries(definition["x-enum-descriptions"] ?? {}).map(
      ([value, description]) => [`${name}.${value}`, description] as const,
    ),
  ]);
  const all = [...commented, ...operations.map(({ name, description }) => [name, description] as const)];
  return all.flatMap(([place, description = ""]) => rulesIn(description, place));
}

function* errorContradictions(
  rows: Contract["operations"]["errors"],
  { errors }: SpecificationText,
): Generator<string> {
  if (errors.length === 0) return;
  for (const { name, code, kind } of rows) {
    const found = errors.find((error) => error.name === name);
    if (found === undefined && kind === "protocol") yield `error ${name} is not in the table of the text`;
    if (found?.reason !== undefined && found.reason !== code)
      yield `error ${name} has the reason ${found.reason} in the text, and ${code} in operations.json`;
  }
}

/** An operation with the routes that only the text has, and without those that it no longer has. */
function withRoutes(
  row: OperationRow,
  methods: readonly TextMethod[],
  { schema }: Contract,
  contradictions: string[],
): OperationRow {
  if (methods.length === 0) return row;
  const said = methods.filter(({ method }) => method === row.method);
  if (said.length === 0) {
    if (row.textOnly !== true) contradictions.push(`method ${row.method} is not in the table of the text`);
    return row;
  }
  const routes = said.flatMap((method) => method.routes ?? []);
  if (routes.length === 0) return row;
  const listed = new Set(routes.map(formOf));
  const members = Object.keys(schema.$defs[row.request]?.properties ?? {});
  // The table lists a route once, without the tenant that may stand before it.
  const isListed = (route: Route) =>
    listed.has(formOf(route)) || listed.has(formOf({ ...route, path: withoutTenant(route.path) }));
  const kept = row.http.filter((route) => route.textOnly !== true || isListed(route));
  for (const route of kept.filter((candidate) => !isListed(candidate))) {
    contradictions.push(`route ${route.verb} ${route.path} of ${row.name} is not in the table of the text`);
  }
  const present = new Set(kept.map(formOf));
  const added = routes.filter((route) => !present.has(formOf(route)));
  const readable = added.filter(({ path }) => variablesOf(path).every((name) => members.includes(name)));
  for (const { verb, path } of added.filter((route) => !readable.includes(route))) {
    contradictions.push(
      `route ${verb} ${path} of ${row.name} is in the text only, and ${row.request} lacks one of its variables`,
    );
  }
  return { ...row, http: [...kept, ...readable.map((route) => ({ ...route, textOnly: true }))] };
}

/** A route whatever its variables are called. */
function formOf({ verb, path }: Route): string {
  return `${verb} ${path.replace(/\{[^}]*\}/g, "{}")}`;
}

function withoutTenant(path: string): string {
  return path.replace(/^\/\{tenant\}/, "");
}

function variablesOf(path: string): string[] {
  return [...path.matchAll(/\{(\w+)/g)].map(([, name = ""]) => name);
}

interface NewName {
  /** As the table of decisions has it. */
  readonly path: string;
  isNamedIn(rule: Rule): boolean;
}

/** Additions that change behaviour: members of messages that were there, errors, operations. */
function newNames({ schema, operations }: Contract, before: Contract | undefined): NewName[] {
  if (before === undefined) return [];
  const members = Object.entries(schema.$defs).flatMap(([message, { properties = {} }]) => {
    const old = before.schema.$defs[message]?.properties;
    return Object.keys(properties)
      .filter((name) => old !== undefined && !Object.hasOwn(old, name))
      .map((name) => named(`${message}.${name}`, [name, snakeCase(name)]));
  });
  const codes = new Set(before.operations.errors.map(({ code }) => code));
  const names = new Set(before.operations.operations.map(({ name }) => name));
  return [
    ...members,
    ...operations.errors
      .filter(({ code }) => !codes.has(code))
      .map(({ code, name }) => named(code, [code, name])),
    ...operations.operations
      .filter(({ name }) => !names.has(name))
      .map(({ name, method }) => named(name, [name, method])),
  ];
}

/** A word that is also one of the language, such as `generation`, counts only where it is marked as code. */
function named(path: string, spellings: readonly string[]): NewName {
  const telling = spellings.filter((name) => /[a-z][A-Z]|_|\//.test(name));
  return {
    path,
    isNamedIn({ place, text }) {
      if (place === path || text.includes(path)) return true;
      const words = new Set(text.match(/[\w/]+/g));
      const code = new Set(
        [...text.matchAll(/`([^`]+)`/g)].flatMap(([, span = ""]) => span.split(/[^\w/]+/)),
      );
      return telling.some((name) => words.has(name)) || spellings.some((name) => code.has(name));
    },
  };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
