import type { IncomingMessage } from "node:http";

/**
 * Reads the body of a request. One that is longer is left unread, and its connection open, so that the refusal can be sent.
 * @param limit bytes
 * @returns undefined when it is longer
 */
export async function bodyOf(request: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > limit) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const pieces: AsyncIterable<Uint8Array> = request.iterator({ destroyOnReturn: false });
  for await (const chunk of pieces) {
    size += chunk.length;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
