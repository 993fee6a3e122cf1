import type { IncomingMessage } from "node:http";

/**
 * Reads the body of a request.
 * @param limit bytes
 * @returns undefined when it is longer
 */
export async function bodyOf(request: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
