/**
 * Freezes a JSON value all the way down and returns it. What is frozen already is taken to be so all the way; what is no
 * plain object or array stays as it is. Without recursion: a value may be nested deeper than the stack.
 */
export function deepFreeze<Value>(value: Value): Value {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== "object" || next === null || Object.isFrozen(next)) continue;
    if (Array.isArray(next)) {
      Object.freeze(next);
      for (const item of next) pending.push(item);
    } else if (isPlain(next)) {
      Object.freeze(next);
      for (const item of Object.values(next)) pending.push(item);
    }
  }
  return value;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
