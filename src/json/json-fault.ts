/** Maximum nesting of objects and lists. `JSON.stringify` overflows the stack at a few thousand levels. */
const MAX_DEPTH = 500;

/** The path at which a value is not JSON, and the reason. */
interface Fault {
  /** Prefixed while the error is returned through the levels. */
  path: string;
  readonly reason: string;
}

/** Primitives that JSON cannot represent. */
const REFUSED: Readonly<Record<string, string>> = {
  bigint: "is a bigint, which JSON cannot write: give a number or a string",
  symbol: "is a symbol, which JSON cannot write: give a string",
  function: "is a function, which JSON cannot write: give data",
  undefined: "is undefined, which a JSON list cannot hold: give null",
  number: "is not a finite number, which JSON cannot write: give null or a string",
};

/**
 * Finds where a value is not JSON: the path of the first member that JSON cannot represent, or would change, and what
 * to use instead. JSON values are null, booleans, finite numbers, strings, lists without holes, and plain objects whose
 * members are JSON values; undefined members count as absent. Such a value is the same in memory, in a database and on
 * the wire. Reads every member once and never throws, whatever accessors and proxies do.
 *
 * @returns undefined when the value is JSON
 */
export function jsonFault(value: object): string | undefined {
  const found = faultIn(value, []);
  return found && `${found.path || "The value"} ${found.reason}`;
}

function faultIn(value: object, ancestors: object[]): Fault | undefined {
  if (ancestors.includes(value)) return faultOf("contains itself, which JSON cannot write");
  if (ancestors.length === MAX_DEPTH) return faultOf(`is nested deeper than ${MAX_DEPTH} levels`);
  ancestors.push(value);
  const found = Array.isArray(value) ? faultInList(value, ancestors) : faultInObject(value, ancestors);
  ancestors.pop();
  return found;
}

function faultInList(list: readonly unknown[], ancestors: object[]): Fault | undefined {
  let index = 0;
  try {
    for (; index < list.length; index += 1) {
      const item = list[index];
      if (typeof item === "string") continue;
      const found = item === undefined ? faultOf(REFUSED.undefined) : faultAt(item, ancestors);
      if (found !== undefined) return within(`[${index}]`, found);
    }
  } catch {
    return within(`[${index}]`, unreadable());
  }
  return undefined;
}

function faultInObject(value: object, ancestors: object[]): Fault | undefined {
  let name = "";
  try {
    const kind = kindOf(value);
    if (kind !== undefined) return faultOf(`is ${kind} and not a plain object: give its data as JSON`);
    for (name in value) {
      const member: unknown = value[name as keyof typeof value];
      if (typeof member === "string") continue;
      const found = member === undefined ? undefined : faultAt(member, ancestors);
      if (found !== undefined) return within(name, found);
    }
  } catch {
    return within(name, unreadable());
  }
  return undefined;
}

function faultAt(value: unknown, ancestors: object[]): Fault | undefined {
  if (typeof value === "object") return value === null ? undefined : faultIn(value, ancestors);
  if (typeof value === "boolean" || Number.isFinite(value)) return undefined;
  return faultOf(REFUSED[typeof value]);
}

/** The class of an object; undefined for a plain object of any realm. */
function kindOf(value: object): string | undefined {
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null)
    return undefined;
  const { name } = prototype.constructor;
  return name ? `an instance of ${name}` : "an instance of a class";
}

function faultOf(reason = "is not a JSON value"): Fault {
  return { path: "", reason };
}

function unreadable(): Fault {
  return faultOf("cannot be read: reading it throws");
}

function within(parent: string, fault: Fault): Fault {
  const isMember = fault.path !== "" && !fault.path.startsWith("[");
  fault.path = parent === "" ? fault.path : `${parent}${isMember ? "." : ""}${fault.path}`;
  return fault;
}
