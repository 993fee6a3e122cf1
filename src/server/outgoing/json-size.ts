/** Bytes in addition to the characters of a string or a name: two quotes, and a comma or a colon. */
const AROUND = 3;
/** Approximate bytes of a number, a boolean or null. */
const PLAIN = 6;

/**
 * The approximate number of bytes of a value as JSON, in a fraction of the time of writing it. Strings count by their UTF-16 code units,
 * without escapes.
 * @param enough the size at which counting stops
 */
export function jsonSize(value: unknown, enough = Number.POSITIVE_INFINITY): number {
  let size = 0;
  const left = [value];
  while (left.length > 0 && size < enough) {
    const one = left.pop();
    if (typeof one === "string") size += one.length + AROUND;
    else if (typeof one !== "object" || one === null) size += PLAIN;
    else if (Array.isArray(one)) for (const item of one) left.push(item);
    else {
      for (const name in one) {
        size += name.length + AROUND;
        left.push((one as Record<string, unknown>)[name]);
      }
    }
  }
  return size;
}
