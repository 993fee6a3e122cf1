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

/** A member as an assignment makes it. The name `__proto__` cannot be assigned. */
const ORDINARY = { configurable: true, enumerable: true, writable: true };

const UNREADABLE = "cannot be read: reading it throws";

/** The path at which a value is not JSON, and the reason. */
class Fault {
  /** Prefixed while the fault is thrown through the levels. */
  path = "";
  readonly reason: string;

  constructor(reason = "is not a JSON value") {
    this.reason = reason;
  }
}

/**
 * Copies a value that JSON can represent. JSON values are null, booleans, finite numbers, strings, lists without holes, and plain
 * objects whose members are JSON values; undefined members count as absent. Such a value is the same in memory, in a database and on the
 * wire. Reads every member once, so neither an accessor that answers differently the next time nor a later change of the value
 * affects the copy. Texts are shared, not copied.
 *
 * @throws TypeError that names the path of the first member that JSON cannot represent, or would change, and what to use instead
 */
export function jsonCopy<Value extends object>(value: Value): Value {
  try {
    return copyOf(value, []) as Value;
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    throw new TypeError(`${thrown.path || "The value"} ${thrown.reason}`);
  }
}

function copyOf(value: object, ancestors: object[]): object {
  if (ancestors.includes(value)) throw new Fault("contains itself, which JSON cannot write");
  if (ancestors.length === MAX_DEPTH) throw new Fault(`is nested deeper than ${MAX_DEPTH} levels`);
  ancestors.push(value);
  const copy = Array.isArray(value) ? copyOfList(value, ancestors) : copyOfObject(value, ancestors);
  ancestors.pop();
  return copy;
}

function copyOfList(list: readonly unknown[], ancestors: object[]): unknown[] {
  const copy: unknown[] = [];
  try {
    for (let index = 0; index < list.length; index += 1) {
      const item = list[index];
      if (item === undefined) throw new Fault(REFUSED.undefined);
      copy.push(typeof item === "string" ? item : copyOfMember(item, ancestors));
    }
  } catch (thrown) {
    throw within(`[${copy.length}]`, thrown);
  }
  return copy;
}

function copyOfObject(value: object, ancestors: object[]): object {
  const copy: Record<string, unknown> = {};
  let name = "";
  try {
    const kind = kindOf(value);
    if (kind !== undefined) throw new Fault(`is ${kind} and not a plain object: give its data as JSON`);
    for (name in value) {
      const member: unknown = value[name as keyof typeof value];
      const own =
        typeof member === "string" || member === undefined ? member : copyOfMember(member, ancestors);
      if (name === "__proto__") Object.defineProperty(copy, name, { ...ORDINARY, value: own });
      else copy[name] = own;
    }
  } catch (thrown) {
    throw within(name, thrown);
  }
  return copy;
}

function copyOfMember(value: unknown, ancestors: object[]): unknown {
  if (typeof value === "object") return value === null ? null : copyOf(value, ancestors);
  if (typeof value === "boolean" || Number.isFinite(value)) return value;
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

/** The fault with the name of its member put before its path; whatever else was thrown, the member cannot be read. */
function within(parent: string, thrown: unknown): Fault {
  const fault = thrown instanceof Fault ? thrown : new Fault(UNREADABLE);
  const isMember = fault.path !== "" && !fault.path.startsWith("[");
  fault.path = parent === "" ? fault.path : `${parent}${isMember ? "." : ""}${fault.path}`;
  return fault;
}
