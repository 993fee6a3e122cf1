/** Bytes of UTF-8 that one UTF-16 unit takes at most. */
const WIDEST_UNIT = 3;

/** Whether a text takes more than so many bytes of UTF-8. Counts only where the number of characters does not tell. */
export function isLonger(text: string, bytes: number): boolean {
  if (text.length > bytes) return true;
  return text.length * WIDEST_UNIT > bytes && Buffer.byteLength(text) > bytes;
}
