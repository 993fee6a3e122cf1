import { turns } from "../async/turns.js";
import { joinBytes } from "../collections/join-bytes.js";
import { isLonger } from "../protocol/byte-length.js";
import { A2AError } from "../protocol/errors.js";
import type { HostRequest } from "./host.js";
import type { HeldBytes } from "./received-bytes.js";

/** How the bytes of a body are collected. */
export interface Collecting {
  /** Bytes that are kept at most. */
  readonly limit: number;
  /** Bytes that the sender has announced; undefined when it has not. */
  readonly announced: number | undefined;
  /** Counts what waits for more to come. Not called for a body that comes whole, unless something is reserved. */
  readonly hold: Hold;
  /** Bytes that are counted from the beginning, for what reads the body; none by default. */
  readonly reserved?: number;
}

/** Begins to count the bytes of a body, which may have to be given up for others. */
export type Hold = (giveUp: (reason: Error) => void) => HeldBytes;

/** What a decompressor takes for itself, in bytes. */
export const DECOMPRESSOR_BYTES = 256 * 1024;

/** Pieces from this length on, in bytes, are kept as they come. */
const BLOCK = 4096;

/**
 * The bytes of a body until it is complete. Nearly every body is short and comes in one piece, which is neither counted nor copied.
 * Small pieces are copied together: Node makes a buffer of about 300 bytes for each, and a sender may send pieces of one byte.
 */
export class BodyCollector {
  readonly #collecting: Collecting;
  readonly #giveUp: (reason: Error) => void;
  readonly #pieces: Uint8Array[] = [];
  /** The small pieces that came last, copied one after the other. */
  #block: Uint8Array | undefined;
  #used = 0;
  #length = 0;
  #held: HeldBytes | undefined;

  /**
   * @param giveUp called when the body has to be given up for others
   * @throws A2AError REQUEST_TOO_LARGE when more is announced than may come, and what {@link HeldBytes.add} throws
   */
  constructor(collecting: Collecting, giveUp: (reason: Error) => void) {
    const { limit, announced = 0 } = collecting;
    if (announced > limit) throw bodyTooLarge(limit);
    this.#collecting = collecting;
    this.#giveUp = giveUp;
    if (collecting.reserved !== undefined) this.#count(collecting.reserved);
  }

  /** @throws A2AError REQUEST_TOO_LARGE, and what {@link HeldBytes.add} throws */
  add(piece: Uint8Array): void {
    const { limit, announced } = this.#collecting;
    this.#length += piece.length;
    if (this.#length > limit) throw bodyTooLarge(limit);
    if (this.#length === announced) {
      this.#flush();
      this.#pieces.push(piece);
      return;
    }
    this.#count(piece.length);
    this.#keep(piece);
  }

  /** All bytes that have come. */
  join(): Uint8Array {
    this.#flush();
    const [first = new Uint8Array(0)] = this.#pieces;
    return this.#pieces.length <= 1 ? first : joinBytes(this.#pieces);
  }

  /** Counts the bytes no longer. Called when the body is complete, and when it is given up. */
  release(): void {
    this.#held?.release();
  }

  #count(bytes: number): void {
    this.#held ??= this.#collecting.hold(this.#giveUp);
    this.#held.add(bytes);
  }

  #keep(piece: Uint8Array): void {
    if (this.#used + piece.length > BLOCK) this.#flush();
    if (piece.length >= BLOCK) {
      this.#pieces.push(piece);
      return;
    }
    this.#block ??= new Uint8Array(BLOCK);
    this.#block.set(piece, this.#used);
    this.#used += piece.length;
  }

  #flush(): void {
    if (this.#block === undefined || this.#used === 0) return;
    this.#pieces.push(this.#block.slice(0, this.#used));
    this.#used = 0;
  }
}

/** The encoding of a body in lower case, as the words in this header have no case (RFC 9110 §8.4.1); `""` for one that comes as it is. */
export function encodingOf(headers: HostRequest["headers"]): string {
  const encoding = String(headers["content-encoding"] ?? "")
    .trim()
    .toLowerCase();
  return encoding === "identity" ? "" : encoding;
}

/**
 * Asks for a turn of the event loop in which a body is decoded and parsed. While a large one waits, its bytes are counted.
 * @param owner network address of the sender
 * @returns undefined when it may be now, as nearly always; otherwise a promise, which rejects with what {@link HeldBytes.add} throws,
 * and when the body has to be given up for others
 */
export function turnToParse(bytes: Uint8Array, owner: string, hold: Hold): Promise<void> | undefined {
  const turn = turns.enter(owner, bytes.length);
  return (
    turn &&
    new Promise((resolve, reject) => {
      const held = hold(reject);
      held.add(bytes.length);
      void turn.then(() => {
        held.release();
        resolve();
      });
    })
  );
}

/** Leaves a byte order mark out. */
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * The text of a body; undefined for one that is empty.
 * @throws A2AError PARSE_ERROR when the bytes are no UTF-8
 */
export function decoded(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    throw new A2AError("PARSE_ERROR", "The request body is not valid UTF-8");
  }
}

/** What a request is refused with whose body has more bytes than it may. */
export function bodyTooLarge(limit: number, cause?: unknown): A2AError {
  return new A2AError("REQUEST_TOO_LARGE", `The request body is larger than ${limit} bytes`, { cause });
}

/** What a request is refused with whose body is in an encoding that is not read here. */
export function unknownEncoding(readable: string, cause: unknown): A2AError {
  return new A2AError("CONTENT_TYPE_NOT_SUPPORTED", `Use ${readable} as Content-Encoding, or none`, {
    cause,
  });
}

/** What a request is refused with whose body ends too soon, or cannot be decompressed. */
export function brokenBody(isCompressed: boolean, cause: unknown): A2AError {
  return isCompressed
    ? new A2AError("PARSE_ERROR", "The request body cannot be decompressed", { cause })
    : new A2AError("INVALID_REQUEST", "The request body did not arrive as announced", { cause });
}

/**
 * The text of a body that a parser has read: the stream can be read only once.
 * @returns undefined when the parser has left nothing
 * @throws A2AError REQUEST_TOO_LARGE, or PARSE_ERROR for bytes that are no UTF-8
 */
export function parsedBody(parsed: unknown, limit: number): string | undefined {
  if (parsed === undefined || parsed === null) return undefined;
  const text =
    parsed instanceof Uint8Array
      ? (decoded(parsed) ?? "")
      : typeof parsed === "string"
        ? parsed
        : JSON.stringify(parsed);
  if (isLonger(text, limit)) throw bodyTooLarge(limit);
  return text;
}

/** Something in front of the agent has taken the body: the operator's mistake, so it is logged and not told to the caller. */
export function readBefore(cause?: unknown): A2AError {
  const advice =
    "mount the agent before what reads bodies, or use a parser that leaves what it has read on the request";
  const fault = new Error(`The body of a request was read before the agent could read it: ${advice}`, {
    cause,
  });
  return new A2AError("INTERNAL_ERROR", undefined, { cause: fault });
}
