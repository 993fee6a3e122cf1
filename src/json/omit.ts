/** An object whose members are there or absent, and never undefined. */
export type WithoutUndefined<T> = {
  [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name];
} & {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>;
};

// Loops of their own, over names alone: every object of a request and an answer goes through one of them.

/** The members that are there: those that are undefined are left out. */
export function omitUndefined<T extends object>(members: T): WithoutUndefined<T> {
  const result: Record<string, unknown> = {};
  for (const name in members) {
    const value: unknown = members[name];
    if (value !== undefined && name !== PROTOTYPE) result[name] = value;
  }
  return result as WithoutUndefined<T>;
}

/** The members that say something: empty texts and lists are left out as well, which stand for nothing in every version. */
export function omitEmpty<T extends object>(members: T): WithoutUndefined<T> {
  const result: Record<string, unknown> = {};
  for (const name in members) {
    const value: unknown = members[name];
    if (value === undefined || value === "" || (Array.isArray(value) && value.length === 0)) continue;
    if (name !== PROTOTYPE) result[name] = value;
  }
  return result as WithoutUndefined<T>;
}

/** An assignment to this name would set the prototype instead. */
const PROTOTYPE = "__proto__";
