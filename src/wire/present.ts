/** An object whose members are there or absent, and never undefined. */
export type Present<T> = { [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] } & {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>;
};

/** The members that are there: those that are undefined are left out. */
export function present<T extends object>(members: T): Present<T> {
  return those(members, (value) => value !== undefined);
}

/** The members that say something: empty texts and lists are left out as well, which stand for nothing in every version. */
export function filled<T extends object>(members: T): Present<T> {
  return those(members, (value) => value !== undefined && value !== "" && !isEmptyList(value));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function those<T extends object>(members: T, says: (value: unknown) => boolean): Present<T> {
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) {
    // An assignment to this name would set the prototype instead.
    if (says(value) && name !== "__proto__") result[name] = value;
  }
  return result as Present<T>;
}
