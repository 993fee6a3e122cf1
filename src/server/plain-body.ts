import type { IncomingMessage } from "node:http";

/** Why a body was not read, in the words of the packages that read bodies: 413 and 400. */
class UnreadBody extends Error {
  override readonly name = "UnreadBody";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * The bytes of a body that comes as it is, neither compressed nor encoded. Nearly every body is one: a reader for all kinds, with the
 * streams, promises and looks at media types that it needs, is a tenth of what answering a short message costs.
 *
 * Keeps no more than `limit` bytes. After a rejection the rest of the body is still to be disposed of.
 *
 * @throws UnreadBody when it is longer, or was read by somebody else; what the connection threw when it broke
 */
export function readPlain(req: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tooLong = () => new UnreadBody(413, `The body is longer than ${limit} bytes`);
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (error?: unknown) => {
      req.off("data", take);
      req.off("end", end);
      req.off("error", settle);
      if (error === undefined)
        resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length));
      else reject(error);
    };
    const end = () => settle();
    const take = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) settle(tooLong());
      else chunks.push(chunk);
    };
    if (Number(req.headers["content-length"]) > limit) reject(tooLong());
    else if (!req.readable) reject(new UnreadBody(400, "There is nothing left to be read"));
    else req.on("data", take).on("end", end).on("error", settle);
  });
}
