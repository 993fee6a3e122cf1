/** Bytes around a string or a name: two quotes, and a comma or a colon. */
const AROUND = 3;
/** Bytes of a number, a truth value or null, about. */
const PLAIN = 6;

/**
 * About how many bytes a value takes as JSON, in a fraction of the time that writing it takes. Texts count by their characters.
 * @param enough the size from which on nothing more is counted
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
