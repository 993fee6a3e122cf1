import type { Change, Subject } from "./change.js";
import type { Definition } from "./contract.js";

/** A mark of deprecation that was added or removed. */
export function compareDeprecation(
  subject: Subject,
  path: string,
  before: { readonly deprecated?: boolean },
  after: { readonly deprecated?: boolean },
): Change[] {
  if (before.deprecated === after.deprecated) return [];
  const text = after.deprecated === true ? "is deprecated" : "is no longer deprecated";
  return [{ kind: "changed", subject, path, text, breaking: false }];
}

/** Values of an enum that were renamed: old names by the new ones, which have their numbers. */
export function renamedValues(before: Definition, after: Definition): ReadonlyMap<string, string> {
  const [old, values] = [numbersOf(before), numbersOf(after)];
  const gone = [...old].filter(([name]) => !values.has(name));
  return new Map(
    [...values].flatMap(([name, number]) => {
      if (old.has(name) || number === undefined) return [];
      const origin = gone.find(([, candidate]) => candidate === number)?.[0];
      return origin === undefined ? [] : [[name, origin]];
    }),
  );
}

/** Differences between the values of an enum. */
export function compareEnum(name: string, before: Definition, after: Definition): Change[] {
  const [old, values] = [numbersOf(before), numbersOf(after)];
  const renamed = renamedValues(before, after);
  const subject = "enum value";
  const describe = (number: number | undefined) => (number === undefined ? "a value" : `number ${number}`);
  return [
    ...[...values].flatMap(([value, number]): Change[] => {
      const path = `${name}.${value}`;
      const text = describe(number);
      const origin = renamed.get(value);
      if (origin !== undefined) {
        return [{ kind: "renamed", subject, path, text: `was ${origin}, ${text}`, breaking: true }];
      }
      if (!old.has(value)) return [{ kind: "added", subject, path, text, breaking: false }];
      if (old.get(value) === number) return [];
      const was = describe(old.get(value));
      return [{ kind: "changed", subject, path, text: `${was} is ${text}`, breaking: true }];
    }),
    ...[...old]
      .filter(([value]) => !values.has(value) && ![...renamed.values()].includes(value))
      .map(([value, number]): Change => {
        return { kind: "removed", subject, path: `${name}.${value}`, text: describe(number), breaking: true };
      }),
  ];
}

function numbersOf({
  enum: values = [],
  "x-enum-numbers": numbers,
}: Definition): Map<string, number | undefined> {
  return new Map(values.map((value, index) => [value, numbers?.[index]]));
}
