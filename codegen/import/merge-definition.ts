import { isDeepStrictEqual } from "node:util";
import { renamedValues } from "./compare-enum.js";
import { type Definition, limits, type Property, type Shape } from "./contract.js";
import { type Group, groupKeywords, groupsOf } from "./groups.js";
import type { Vocabulary } from "./official.js";
import { undescribed } from "./prose.js";

/** Where a definition is merged and what its artifact can say. */
export interface MergeContext {
  readonly name: string;
  readonly says: Vocabulary;
  /** Whether members of this contract have field numbers. */
  readonly numbered: boolean;
  readonly notes: string[];
  /** Decisions that the artifact does not state, for review. */
  readonly decisions: string[];
  /** Values of enums by what they count as, as the command line has them: `TaskState.TASK_STATE_PAUSED`. */
  readonly fallbacks: ReadonlyMap<string, string>;
}

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
    ...mergeMarks(official, base, says),
  };
}

/** Deprecation and what is reserved, from the artifact when it can say them. */
function mergeMarks(
  official: Definition,
  base: Definition | undefined,
  says: Vocabulary,
): Pick<Definition, "deprecated" | "x-reserved"> {
  const deprecated = (says.deprecated ? official : base)?.deprecated;
  const reserved = (says.numbers ? official : base)?.["x-reserved"];
  return {
    ...(deprecated === true && { deprecated }),
    ...(reserved !== undefined && { "x-reserved": reserved }),
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

/** Limits are ours unless the artifact has them. They stay while the type stays. */
function keptLimits(shape: Shape, base: Property | undefined): Partial<Property> {
  if (base === undefined || base.type !== shape.type || base.format !== shape.format) return {};
  return Object.fromEntries(
    limits.flatMap((name) => {
      const limit = shape[name] ?? base[name];
      return limit === undefined ? [] : [[name, limit]];
    }),
  );
}

function mergeEnum(
  official: Definition & { readonly enum: readonly string[] },
  base: Definition | undefined,
  context: MergeContext,
): Definition {
  const names = official.enum;
  const numbers = official["x-enum-numbers"] ?? guessedNumbers(names, base);
  const renamed =
    base === undefined
      ? new Map<string, string>()
      : renamedValues(base, { ...official, "x-enum-numbers": numbers ?? [] });
  const before = base?.["x-enum-descriptions"] ?? {};
  const texts = { ...official["x-enum-descriptions"], ...before };
  for (const [name, old] of renamed) texts[name] = before[old] ?? undescribed;
  const fallbacks = mergeFallbacks(names, { base, renamed }, context);
  return {
    type: "string",
    description: base?.description ?? official.description ?? undescribed,
    enum: names,
    ...(numbers !== undefined && { "x-enum-numbers": numbers }),
    ...(fallbacks !== undefined && { "x-enum-fallbacks": fallbacks }),
    "x-enum-descriptions": Object.fromEntries(names.map((name) => [name, texts[name] ?? undescribed])),
    ...mergeMarks(official, base, context.says),
  };
}

const newcomer = "*";

/** What is known of an enum of the version before. */
interface KnownEnum {
  readonly base: Definition | undefined;
  /** Old names by new ones. */
  readonly renamed: ReadonlyMap<string, string>;
}

/**
 * Fallbacks of the previous version, under the names of this one. A new value gets the one of the command line, else the fallback for
 * new values, or else the first value of the enum. So does a fallback whose value is gone.
 */
function mergeFallbacks(
  names: readonly string[],
  { base, renamed }: KnownEnum,
  { name: type, decisions, fallbacks }: MergeContext,
): Definition["x-enum-fallbacks"] {
  const known = base?.enum ?? [];
  const nowCalled = new Map([...renamed].map(([name, old]) => [old, name]));
  const first =
    known.map((name) => nowCalled.get(name) ?? name).find((name) => names.includes(name)) ?? names[0] ?? "";
  const given = (name: string) => fallbacks.get(`${type}.${name}`);
  const merged: Record<string, string> = {};
  for (const [name, fallback] of Object.entries(base?.["x-enum-fallbacks"] ?? {})) {
    const key = nowCalled.get(name) ?? name;
    if (key !== newcomer && !names.includes(key)) continue;
    const called = nowCalled.get(fallback) ?? fallback;
    const target = given(key) ?? (names.includes(called) ? called : (given(fallback) ?? first));
    merged[key] = target;
    if (target !== fallback)
      decisions.push(`${type}.${key} counts as ${target}, no longer as ${fallback} (x-enum-fallbacks)`);
  }
  const added = base === undefined ? [] : names.filter((name) => !known.includes(name) && !renamed.has(name));
  for (const name of added) {
    const fallback = given(name) ?? merged[newcomer] ?? first;
    // Of an enum whose values are all new the first one counts as nothing else.
    if (fallback === name) continue;
    merged[name] = fallback;
    decisions.push(`${type}.${name} counts as ${fallback} (x-enum-fallbacks)`);
  }
  return Object.keys(merged).length === 0 ? undefined : merged;
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
