/** Maximum nesting of objects and lists. `JSON.stringify` overflows the stack at a few thousand levels. */
const MAX_DEPTH = 500;

/** Primitives that JSON cannot represent. */
const REFUSED: Readonly<Record<string, string>> = {
  bigint: "is a bigint, which JSON cannot write: give a number or a string",
  symbol: "is a symbol, which JSON cannot write: give a string",
  function: "is a function, which JSON cannot write: give data",
  undefined: "is undefined, which a JSON list cannot hold: give null",
  number: "is not a finite number, which JSON cannot write: give null or a string",
};

const UNREADABLE = "cannot be read: reading it throws";

/** What is wrong with a value, or with the member that the walk has reached. */
class Fault {
  readonly reason: string;

  constructor(reason = "is not a JSON value") {
    this.reason = reason;
  }
}

/** The position of a walk through a value: the objects and lists that contain it, and the name or index in each. */
interface Walk {
  readonly ancestors: object[];
  readonly names: (string | number)[];
}

/**
 * Copies a value that JSON can represent. JSON values are null, booleans, finite numbers, strings, lists without holes, and plain
 * objects whose members are JSON values; undefined members count as absent. Apart from lone surrogates, such a value is the same in memory,
 * in a database and on the wire. Every member is read once, so neither an accessor that returns another value the next time nor a later
 * change of the value affects the copy. Strings are shared, not copied.
 *
 * @throws TypeError that names the path of the first member that JSON cannot represent, or would change
 */
export function jsonCopy<Value extends object>(value: Value): Value {
  const walk: Walk = { ancestors: [], names: [] };
  try {
    return copyOf(value, walk) as Value;
  } catch (thrown) {
    // Any other error was thrown by an accessor or a proxy that was read.
    const reason = thrown instanceof Fault ? thrown.reason : UNREADABLE;
    throw new TypeError(`${pathOf(walk.names) || "The value"} ${reason}`);
  }
}

function copyOf(value: object, walk: Walk): object {
  const { ancestors } = walk;
  if (ancestors.includes(value)) throw new Fault("contains itself, which JSON cannot write");
  if (ancestors.length === MAX_DEPTH) throw new Fault(`is nested deeper than ${MAX_DEPTH} levels`);
  ancestors.push(value);
  const copy = Array.isArray(value) ? copyOfList(value, walk) : copyOfObject(value, walk);
  ancestors.pop();
  return copy;
}

function copyOfList(list: readonly unknown[], walk: Walk): unknown[] {
  const copy = shallowCopy(list, walk);
  for (let index = 0; index < copy.length; index += 1) {
    const item = copy[index];
    walk.names.push(index);
    if (item === undefined) throw new Fault(REFUSED.undefined);
    if (typeof item === "object" && item !== null) copy[index] = copyOf(item, walk);
    else checkPrimitive(item);
    walk.names.pop();
  }
  return copy;
}

function copyOfObject(value: object, walk: Walk): object {
  const kind = kindOf(value);
  if (kind !== undefined) throw new Fault(`is ${kind} and not a plain object: give its data as JSON`);
  // A spread copies the hidden class along with the members, at a third of the cost of adding them one by one.
  const copy: Record<string, unknown> = shallowCopy(value, walk);
  copyMembers(copy, walk);
  return copy;
}

/** Replaces the members of a shallow copy by copies. */
function copyMembers(copy: Record<string, unknown>, walk: Walk): void {
  for (const name in copy) {
    const member = copy[name];
    if (typeof member === "string" || member === undefined) continue;
    walk.names.push(name);
    if (typeof member === "object" && member !== null) copy[name] = copyOf(member, walk);
    else checkPrimitive(member);
    walk.names.pop();
  }
}

function shallowCopy(value: readonly unknown[], walk: Walk): unknown[];
function shallowCopy(value: object, walk: Walk): Record<string, unknown>;
function shallowCopy(value: object, { names }: Walk): object {
  try {
    return Array.isArray(value) ? [...value] : { ...value };
  } catch (thrown) {
    const name = Object.keys(value).find((key) => isUnreadable(value, key)) ?? "";
    names.push(Array.isArray(value) ? Number(name) : name);
    throw thrown;
  }
}

function isUnreadable(value: object, name: string): boolean {
  try {
    void value[name as keyof typeof value];
    return false;
  } catch {
    return true;
  }
}

/** @throws Fault for a primitive that JSON cannot represent */
function checkPrimitive(value: unknown): void {
  if (typeof value === "string" || typeof value === "boolean" || value === null || Number.isFinite(value))
    return;
  throw new Fault(REFUSED[typeof value]);
}

/** The class of an object; undefined for a plain object of any realm. */
function kindOf(value: object): string | undefined {
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null)
    return undefined;
  const { name } = prototype.constructor;
  return name ? `an instance of ${name}` : "an instance of a class";
}

function pathOf(names: Walk["names"]): string {
  let path = "";
  for (const name of names) {
    if (typeof name === "number") path += `[${name}]`;
    else if (name !== "") path += path === "" ? name : `.${name}`;
  }
  return path;
}
