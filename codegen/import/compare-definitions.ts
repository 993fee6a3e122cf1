import { isDeepStrictEqual } from "node:util";
import type { Change } from "./change.js";
import { compareDeprecation, compareEnum } from "./compare-enum.js";
import type { Definition, Definitions, Property } from "./contract.js";
import { limits } from "./contract.js";
import { describeShape } from "./describe-shape.js";
import { groupsOf } from "./groups.js";
import { isReserved } from "./reserved.js";

/** Differences between the messages and enums of two versions. */
export function compareDefinitions(before: Definitions, after: Definitions): Change[] {
  const removed = missing(before, after);
  const renamed = new Map<string, string>();
  for (const name of missing(after, before)) {
    const old = removed.find((candidate) => isSameContent(before[candidate], after[name]));
    if (old !== undefined) renamed.set(name, old);
  }
  return [
    ...Object.entries(after).flatMap(([name, definition]) => {
      const previous = before[name];
      if (previous !== undefined) return compareDefinition(name, previous, definition);
      const subject = subjectOf(definition);
      const old = renamed.get(name);
      if (old === undefined)
        return [{ kind: "added", subject, path: name, text: sizeOf(definition), breaking: false } as const];
      return [{ kind: "renamed", subject, path: name, text: `was perhaps ${old}`, breaking: false } as const];
    }),
    ...removed
      .filter((name) => ![...renamed.values()].includes(name))
      .map((name): Change => {
        const definition = before[name] ?? {};
        return {
          kind: "removed",
          subject: subjectOf(definition),
          path: name,
          text: sizeOf(definition),
          breaking: true,
        };
      }),
  ];
}

function missing(from: object, others: object): string[] {
  return Object.keys(from).filter((name) => !Object.hasOwn(others, name));
}

function subjectOf(definition: Definition): "enum" | "message" {
  return definition.enum === undefined ? "message" : "enum";
}

function sizeOf({ enum: values, properties }: Definition): string {
  if (values !== undefined) return `${values.length} values`;
  return `${Object.keys(properties ?? {}).length} members`;
}

/** The same members or values under another name; empty messages are all alike and say nothing. */
function isSameContent(before: Definition | undefined, after: Definition | undefined): boolean {
  const content = ({ properties = {}, enum: values = [] }: Definition) => [
    ...Object.keys(properties),
    ...values,
  ];
  const names = content(after ?? {});
  return names.length > 0 && isDeepStrictEqual(content(before ?? {}), names);
}

function compareDefinition(name: string, before: Definition, after: Definition): Change[] {
  if (before.enum !== undefined && after.enum !== undefined) {
    return [
      ...compareEnum(name, before, after),
      ...compareDeprecation("enum", name, before, after),
      ...compareReserved(name, before, after),
    ];
  }
  if (before.enum !== undefined || after.enum !== undefined) {
    const [was, now] = [subjectOf(before), subjectOf(after)];
    return [{ kind: "changed", subject: now, path: name, text: `${was} is ${now}`, breaking: true }];
  }
  const changes = compareMembers(name, before, after);
  const form = ({ type, items, additionalProperties, oneOf, "x-discriminator": tag }: Definition) =>
    JSON.stringify([type, items, additionalProperties, tag, tag && oneOf]);
  if (form(before) !== form(after)) {
    const text = `${form(before)} is ${form(after)}`;
    changes.push({ kind: "changed", subject: "message", path: name, text, breaking: true });
  }
  return [
    ...changes,
    ...compareDeprecation("message", name, before, after),
    ...compareReserved(name, before, after),
  ];
}

/** What may not be used again, by number or name. What is free again can be read as what it was. */
function compareReserved(path: string, before: Definition, after: Definition): Change[] {
  const [old, now] = [before["x-reserved"] ?? [], after["x-reserved"] ?? []];
  const change = (kind: "added" | "removed", text: string): Change => ({
    kind,
    subject: subjectOf(after),
    path,
    text: `reserved ${text}`,
    breaking: kind === "removed",
  });
  return [
    ...now.filter((text) => !old.includes(text)).map((text) => change("added", text)),
    ...old.filter((text) => !now.includes(text)).map((text) => change("removed", text)),
  ];
}

function compareMembers(message: string, before: Definition, after: Definition): Change[] {
  const old = before.properties ?? {};
  const subject = "field";
  const gone = missing(old, after.properties ?? {});
  const replaced: string[] = [];
  const changes = Object.entries(after.properties ?? {}).flatMap(([name, property]): Change[] => {
    const path = `${message}.${name}`;
    const previous = old[name];
    const now = describeMember(after, name);
    if (previous !== undefined) {
      const was = describeMember(before, name);
      const limited = compareLimits(path, previous, property);
      if (was === now) return limited;
      return [
        { kind: "changed", subject, path, text: `${was} is ${now}`, breaking: breaks(was, now) },
        ...limited,
      ];
    }
    const origin = gone.find((candidate) => isSameMember(old[candidate], property));
    if (origin !== undefined) {
      replaced.push(origin);
      return [{ kind: "renamed", subject, path, text: `was perhaps ${origin}`, breaking: true }];
    }
    // A number that another member had is read as that member by peers of the version before.
    const taken =
      gone.find((candidate) => sharesNumber(old[candidate], property)) ??
      (isReserved(before, name, property["x-number"]) ? "reserved" : undefined);
    const text = taken === undefined ? now : `${now}, which was ${taken}`;
    const breaking = taken !== undefined || after.required?.includes(name) === true;
    return [{ kind: "added", subject, path, text, breaking }];
  });
  const removed = gone
    .filter((name) => !replaced.includes(name))
    .map((name): Change => {
      return {
        kind: "removed",
        subject,
        path: `${message}.${name}`,
        text: describeMember(before, name),
        breaking: true,
      };
    });
  return [...changes, ...removed];
}

/** Limits differ only where the artifact says one: those of the version before are kept otherwise. */
function compareLimits(path: string, before: Property, after: Property): Change[] {
  return limits.flatMap((limit): Change[] => {
    const [was, now] = [before[limit], after[limit]];
    if (was === now) return [];
    const text = `${limit} ${was ?? "nothing"} is ${now ?? "nothing"}`;
    return [{ kind: "changed", subject: "field", path, text, breaking: true }];
  });
}

/** A number that stays tells a rename; without numbers there is no telling. */
function isSameMember(before: Property | undefined, after: Property): boolean {
  return sharesNumber(before, after) && describeShape(before ?? {}) === describeShape(after);
}

function sharesNumber(before: Property | undefined, after: Property): boolean {
  return after["x-number"] !== undefined && before?.["x-number"] === after["x-number"];
}

/** Everything about a member that a peer can notice, in words. */
function describeMember(definition: Definition, name: string): string {
  const property = definition.properties?.[name] ?? {};
  const number = property["x-number"];
  const group = groupsOf(definition).find(({ members }) => members.includes(name));
  const marks = [
    number === undefined ? "" : `number ${number}`,
    definition.required?.includes(name) ? "required" : "",
    group ? `in group ${group.name}${group.required ? "" : " or none of it"}` : "",
    property["x-presence"] === "explicit" ? "explicit presence" : "",
    property.deprecated === true ? "deprecated" : "",
  ].filter((mark) => mark !== "");
  return [describeShape(property), ...marks].join(", ");
}

/**
 * Nothing breaks when a member is only deprecated or marked as explicit. A member that is no longer required does: readers of the
 * version before refuse a message without it.
 */
function breaks(was: string, now: string): boolean {
  const essence = (text: string) => text.replaceAll(/, (?:deprecated|explicit presence)/g, "");
  return essence(was) !== essence(now);
}
