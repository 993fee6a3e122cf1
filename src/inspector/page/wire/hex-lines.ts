/** Bytes on a line. */
const WIDTH = 16;

/** Bytes as lines of a hex dump: position, bytes, and the characters that can be printed. */
export function hexLine(bytes: Uint8Array, line: number): string {
  const part = bytes.subarray(line * WIDTH, (line + 1) * WIDTH);
  const hex = Array.from(part, (byte) => byte.toString(16).padStart(2, "0"));
  const text = Array.from(part, (byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "."));
  const place = (line * WIDTH).toString(16).padStart(8, "0");
  return `${place}  ${hex.join(" ").padEnd(WIDTH * 3 - 1)}  ${text.join("")}`;
}

/** How many lines the bytes have. */
export function hexLineCount({ length }: Uint8Array): number {
  return Math.ceil(length / WIDTH);
}

/** Chunks in one piece. */
export function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
