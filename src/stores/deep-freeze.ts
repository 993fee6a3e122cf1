/** How deep recursion goes. What is nested deeper is put aside and taken up from the top of the stack again. */
const DEPTH = 100;

/**
 * Freezes a JSON value all the way down and returns it. What is frozen already is taken to be so all the way; what is no
 * plain object or array stays as it is. A value may be nested deeper than the stack.
 */
export function deepFreeze<Value extends object>(value: Value): Value {
  const aside: object[] = [];
  freeze(value, DEPTH, aside);
  for (let next = aside.pop(); next !== undefined; next = aside.pop()) freeze(next, DEPTH, aside);
  return value;
}

function freeze(value: object, depth: number, aside: object[]): void {
  if (Object.isFrozen(value)) return;
  if (depth === 0) {
    aside.push(value);
  } else if (Array.isArray(value)) {
    Object.freeze(value);
    for (const item of value) if (typeof item === "object" && item !== null) freeze(item, depth - 1, aside);
  } else if (isPlain(value)) {
    Object.freeze(value);
    for (const key in value) {
      const member: unknown = value[key as keyof typeof value];
      if (typeof member === "object" && member !== null) freeze(member, depth - 1, aside);
    }
  }
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
