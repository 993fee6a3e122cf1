import { Readable } from "node:stream";
import type { Context } from "koa";
import type { BodyReply } from "../host.js";
import { type OutgoingAnswer, SLICE } from "../outgoing/outgoing-answer.js";

let current: Promise<void> | undefined;

/**
 * Resolves after the event loop has processed everything that has arrived, before it waits for more. Answers that are sent then leave
 * together. Otherwise each one would wake its reader while the next is still being computed, which costs the system about as
 * much as writing it.
 */
export function endOfTurn(): Promise<void> {
  current ??= new Promise((resolve) => {
    setImmediate(() => {
      current = undefined;
      resolve();
    });
  });
  return current;
}

/**
 * Sends an answer that is complete. A large one leaves in slices as the connection takes them.
 * @param answer where it is counted; may be left out for one that is small
 */
export function send({ response }: Context, reply: BodyReply, answer?: OutgoingAnswer): void {
  const { status, headers, body, shared } = reply;
  const bytes = typeof body === "string" && body.length > SLICE ? Buffer.from(body) : body;
  if (!shared) answer?.wrote(bytes?.length ?? 0);
  response.status = status;
  for (const name in headers) response.set(name, headers[name] as string);
  if (!(bytes instanceof Uint8Array)) response.body = bytes;
  else {
    response.body = bytes.length <= SLICE ? asBuffer(bytes) : new SlicedBody(bytes);
    response.length = bytes.length;
  }
}

/** A body that is there as a whole and leaves slice by slice, as its reader takes it. */
class SlicedBody extends Readable {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    super({ highWaterMark: SLICE });
    this.#bytes = bytes;
  }

  override _read(): void {
    const from = this.#at;
    this.#at += SLICE;
    this.push(from < this.#bytes.length ? this.#bytes.subarray(from, this.#at) : null);
  }
}

/** The same bytes as Node takes them. */
function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
