/**
 * What V8 takes for each kind of value, in bytes, on a 64-bit machine. Measured on values that came out of `JSON.parse`; the test
 * compares the sum with the heap.
 */
const EMPTY_OBJECT = 56;
const OBJECT = 24;
const EMPTY_LIST = 32;
const LIST = 48;
/** A member or item in its place. */
const SLOT = 8;
const TEXT = 16;
/** A number that does not fit into its place. */
const NUMBER = 16;
/** A name that no object before had: the name, and the hidden class that V8 makes for objects with it. */
const NAME = 160;

/** Texts up to this length are counted as one byte a character: finding out costs more than it is worth. */
const SHORT = 48;

/** How deep recursion goes. What is nested deeper is set aside and measured from the top of the stack again. */
const DEPTH = 100;

/** Nothing is measured beyond this many bytes. V8 has no longer text. */
const ENOUGH = 2 ** 29;

// Of the walk that is under way. A walk ends before anything else runs, and most need none of it but the sum.
let bytes = 0;
/** Names in free data that were seen before. */
let names: Set<string> | undefined;
/** What is nested too deep to be measured at once. Each of them is measured once, so that a value may contain itself. */
let aside: Set<object> | undefined;

/**
 * About how many bytes a JSON value takes in memory: for values of the protocol somewhat more than as JSON text. One walk that
 * copies and writes nothing, for a third of the cost of `JSON.stringify` at most. Texts that several values share count for each.
 *
 * In free data (`data` and `metadata`) the names of members count as well, because a caller can send objects that are mostly names;
 * those of the protocol's own members are the same for all.
 *
 * @returns at most a little over 2^29, for whatever is larger
 */
export function valueSize(value: unknown): number {
  bytes = 0;
  names = undefined;
  aside = undefined;
  addPlain(value, DEPTH);
  for (const next of aside ?? []) addFree(next, DEPTH);
  names = undefined;
  aside = undefined;
  return bytes;
}

function addPlain(value: unknown, depth: number): void {
  if (typeof value === "string") addText(value);
  else if (typeof value !== "object") addNumber(value);
  else if (value === null || isPutOff(value, depth)) return;
  else if (Array.isArray(value)) {
    bytes += LIST + SLOT * value.length;
    for (const item of value) addPlain(item, depth - 1);
  } else {
    bytes += OBJECT;
    for (const name in value) {
      const member: unknown = value[name as keyof typeof value];
      bytes += SLOT;
      if (typeof member === "string") addText(member);
      else if (name === "data" || name === "metadata") addFree(member, depth - 1);
      else addPlain(member, depth - 1);
    }
  }
}

function addFree(value: unknown, depth: number): void {
  if (typeof value === "string") addText(value);
  else if (typeof value !== "object") addNumber(value);
  else if (value === null || isPutOff(value, depth)) return;
  else if (Array.isArray(value)) {
    bytes += value.length === 0 ? EMPTY_LIST : LIST + SLOT * value.length;
    for (const item of value) addFree(item, depth - 1);
  } else {
    const before = bytes;
    for (const name in value) {
      addName(name);
      addFree(value[name as keyof typeof value], depth - 1);
    }
    bytes += bytes === before ? EMPTY_OBJECT : OBJECT;
  }
}

/** Whether a value is not measured now: because it is nested too deep, or because there is enough already. */
function isPutOff(value: object, depth: number): boolean {
  if (depth > 0) return bytes > ENOUGH;
  aside ??= new Set();
  aside.add(value);
  return true;
}

function addText(text: string): void {
  const { length } = text;
  // V8 has texts of one character only once.
  if (length > 1) bytes += TEXT + (length > SHORT ? Buffer.byteLength(text) : length);
}

function addNumber(value: unknown): void {
  if (typeof value === "number" && (value | 0) !== value) bytes += NUMBER;
}

function addName(name: string): void {
  names ??= new Set();
  const first = name.charCodeAt(0);
  // Members with numbers as names lie in a table of their own, in each object anew.
  if (first >= ZERO && first <= NINE) bytes += NAME;
  else if (names.has(name)) bytes += SLOT;
  else {
    names.add(name);
    bytes += NAME + name.length;
  }
}

const [ZERO, NINE] = [0x30, 0x39];
