import { isDeepStrictEqual } from "node:util";
import type { Definition, Property, Shape } from "./contract.js";
import { type Group, groupKeywords, groupsOf } from "./groups.js";
import type { Vocabulary } from "./official.js";
import { undescribed } from "./prose.js";

/** Where a definition is merged and what its artifact can say. */
export interface MergeContext {
  readonly name: string;
  readonly says: Vocabulary;
  /** Members of this contract have field numbers. */
  readonly numbered: boolean;
  readonly notes: string[];
  /** Decisions that the source does not state. */
  readonly decisions: string[];
}

const limits = ["minLength", "minItems", "minimum", "maximum"] as const;

/** One definition of an artifact with our prose and limits, and with what the artifact cannot say from `base`. */
export function mergeDefinition(
  official: Definition,
  base: Definition | undefined,
  context: MergeContext,
): Definition {
  const merged =
    official.enum !== undefined
      ? mergeEnum({ ...official, enum: official.enum }, base, context)
      : official.properties !== undefined
        ? mergeMessage(official, { ...official.properties, ...textOnly(base) }, { base, context })
        : { ...official, description: base?.description ?? official.description ?? undescribed };
  // The version before is kept as it stands, order of keywords included, when nothing differs.
  return base !== undefined && isDeepStrictEqual(merged, base) ? base : merged;
}

interface Before {
  readonly base: Definition | undefined;
  readonly context: MergeContext;
}

function mergeMessage(
  official: Definition,
  properties: Readonly<Record<string, Property>>,
  { base, context }: Before,
): Definition {
  const { says } = context;
  const groups = says.groups ? mergeGroups(official, base, context) : keptGroups(base, properties);
  const inGroup = groups.flatMap(({ members }) => members);
  const before = base?.properties ?? {};
  let next = Math.max(0, ...Object.values(before).map((property) => property["x-number"] ?? 0));
  const number = (name: string, property: Property) => {
    if (says.numbers || !context.numbered) return property["x-number"];
    const known = before[name]?.["x-number"];
    if (known !== undefined) return known;
    next += 1;
    context.notes.push(`${context.name}.${name}: the field number ${next} is a guess`);
    return next;
  };
  const entries = Object.entries(properties).map(([name, property]) => {
    const given = number(name, property);
    const isGrouped = inGroup.includes(name);
    return [name, mergeProperty(property, before[name], { ...context, given, isGrouped })] as const;
  });
  const sorted = inOrder(entries, Object.keys(before));
  const required = says.required
    ? (official.required ?? [])
    : (base?.required ?? []).filter((name) => Object.hasOwn(properties, name));
  return {
    type: "object",
    description: base?.description ?? official.description ?? undescribed,
    properties: Object.fromEntries(sorted),
    ...(required.length > 0 && {
      required: sorted.map(([name]) => name).filter((name) => required.includes(name)),
    }),
    ...groupKeywords(groups),
  };
}

/** Members of the version before that are the text's: they stay as they are. */
function textOnly(base: Definition | undefined): Record<string, Property> {
  const members = Object.entries(base?.properties ?? {});
  return Object.fromEntries(members.filter(([, property]) => property["x-text-only"] === true));
}

/** The groups of the version before, as far as their members are still there. */
function keptGroups(base: Definition | undefined, properties: Readonly<Record<string, Property>>): Group[] {
  return groupsOf(base ?? {})
    .map((group) => ({
      ...group,
      members: group.members.filter((name) => Object.hasOwn(properties, name)),
    }))
    .filter(({ members }) => members.length > 1);
}

/**
 * No artifact says whether a group may be absent. In this protocol one member has to be present; but where a message comes by a
 * group later, peers of the version before send none, which stays valid.
 */
function mergeGroups(
  official: Definition,
  base: Definition | undefined,
  { name: message, decisions }: MergeContext,
): Group[] {
  const before = groupsOf(base ?? {});
  return groupsOf(official).map((group) => {
    const same = before.find(
      ({ name, members }) => name === group.name || members.some((member) => group.members.includes(member)),
    );
    if (base === undefined || same !== undefined) return { ...group, required: same?.required ?? true };
    decisions.push(
      `${message}: of the new group ${group.name} one member or none is present (oneOf in a2a.schema.json)`,
    );
    return { ...group, required: false };
  });
}

/** By number where there are numbers, else as before with new ones at the end. */
function inOrder(
  entries: (readonly [string, Property])[],
  before: readonly string[],
): (readonly [string, Property])[] {
  const place = ([name, property]: readonly [string, Property]) =>
    property["x-number"] ?? (before.includes(name) ? before.indexOf(name) : before.length);
  return entries.toSorted((a, b) => place(a) - place(b));
}

interface Seat extends MergeContext {
  /** Field number. */
  readonly given: number | undefined;
  readonly isGrouped: boolean;
}

function mergeProperty(
  official: Property,
  base: Property | undefined,
  { says, given, isGrouped }: Seat,
): Property {
  if (base?.["x-text-only"] === true) return base;
  const { description, deprecated, "x-number": _, "x-presence": presence, ...shape } = official;
  const isDeprecated = says.deprecated ? deprecated : base?.deprecated;
  const isExplicit = says.groups || !isGrouped ? presence : undefined;
  const merged: Property = {
    description: base?.description ?? description ?? undescribed,
    ...(given !== undefined && { "x-number": given }),
    ...shape,
    ...keptLimits(shape, base),
    ...(isExplicit !== undefined && { "x-presence": isExplicit }),
    ...(isDeprecated === true && { deprecated: true }),
  };
  return base !== undefined && isDeepStrictEqual(merged, base) ? base : merged;
}

/** Limits are ours: no artifact has them. They stay while the type stays. */
function keptLimits(shape: Shape, base: Property | undefined): Partial<Property> {
  if (base === undefined || base.type !== shape.type || base.format !== shape.format) return {};
  return Object.fromEntries(limits.flatMap((name) => (base[name] === undefined ? [] : [[name, base[name]]])));
}

function mergeEnum(
  official: Definition & { readonly enum: readonly string[] },
  base: Definition | undefined,
  context: MergeContext,
): Definition {
  const names = official.enum;
  const numbers = official["x-enum-numbers"] ?? guessedNumbers(names, base);
  const texts = { ...official["x-enum-descriptions"], ...base?.["x-enum-descriptions"] };
  const fallbacks = mergeFallbacks(names, base, context);
  return {
    type: "string",
    description: base?.description ?? official.description ?? undescribed,
    enum: names,
    ...(numbers !== undefined && { "x-enum-numbers": numbers }),
    ...(fallbacks !== undefined && { "x-enum-fallbacks": fallbacks }),
    "x-enum-descriptions": Object.fromEntries(names.map((name) => [name, texts[name] ?? undescribed])),
  };
}

const newcomer = "*";

/**
 * Fallbacks of the previous version. A new value gets the fallback for new values, or else the first value of the enum.
 */
function mergeFallbacks(
  names: readonly string[],
  base: Definition | undefined,
  { name: type, decisions }: MergeContext,
): Definition["x-enum-fallbacks"] {
  const before = base?.["x-enum-fallbacks"];
  const known = base?.enum ?? [];
  const added = base === undefined ? [] : names.filter((name) => !known.includes(name));
  const fallback = before?.[newcomer] ?? known[0] ?? "";
  for (const name of added) decisions.push(`${type}.${name} counts as ${fallback} (x-enum-fallbacks)`);
  if (added.length === 0) return before;
  return { ...before, ...Object.fromEntries(added.map((name) => [name, fallback])) };
}

/** Numbers of the version before; a new value gets the next one, which is what a definition does. */
function guessedNumbers(
  names: readonly string[],
  base: Definition | undefined,
): readonly number[] | undefined {
  const known = base?.["x-enum-numbers"];
  if (known === undefined) return undefined;
  let next = Math.max(-1, ...known);
  return names.map((name) => {
    const index = base?.enum?.indexOf(name) ?? -1;
    return known[index] ?? ++next;
  });
}
