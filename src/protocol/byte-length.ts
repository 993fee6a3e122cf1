/** Maximum bytes of UTF-8 that one UTF-16 unit can need. */
const WIDEST_UNIT = 3;

const encoder = new TextEncoder();

/**
 * Whether a text is longer than a number of UTF-8 bytes. The bytes are counted only when the number of characters does
 * not decide it.
 */
export function isLonger(text: string, bytes: number): boolean {
  if (text.length > bytes) return true;
  return text.length * WIDEST_UNIT > bytes && encoder.encode(text).length > bytes;
}
