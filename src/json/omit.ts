/** An object without undefined members: each is either set or absent. */
export type WithoutUndefined<T> = {
  [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name];
} & {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>;
};

/** Options after defaults: every name is present, and no value is undefined. */
export type Complete<T> = { readonly [Name in keyof T]-?: Exclude<T[Name], undefined> };

/** Members that may be left out, or undefined. */
export type Optional<T> = { [Name in keyof T]?: T[Name] | undefined };

// Loops over the names, which are faster than lists of entries: most objects in messages of older versions pass through one of these.

/** A copy without undefined members. */
export function omitUndefined<T extends object>(members: T): WithoutUndefined<T> {
  const result: Record<string, unknown> = {};
  for (const name in members) {
    const value: unknown = members[name];
    if (value !== undefined && name !== PROTOTYPE) result[name] = value;
  }
  return result as WithoutUndefined<T>;
}

/** A copy without undefined members, empty strings and empty lists, for objects in which these mean the same as absent. */
export function omitEmpty<T extends object>(members: T): WithoutUndefined<T> {
  const result: Record<string, unknown> = {};
  for (const name in members) {
    const value: unknown = members[name];
    if (value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) continue;
    if (name !== PROTOTYPE) result[name] = value;
  }
  return result as WithoutUndefined<T>;
}

/** Assigning to this name would set the prototype. */
const PROTOTYPE = "__proto__";
