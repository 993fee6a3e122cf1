import { turns } from "../async/turns.js";
import { joinBytes } from "../collections/join-bytes.js";
import { isLonger } from "../protocol/byte-length.js";
import { A2AError } from "../protocol/errors.js";
import type { HostRequest } from "./host.js";
import type { HeldBytes } from "./received-bytes.js";

/** Parameters of a {@link BodyCollector}. */
export interface Collecting {
  /** Maximum bytes of the body. */
  readonly limit: number;
  /** Bytes that the sender has announced; undefined if it has announced none. */
  readonly announced: number | undefined;
  /** Counts bytes that wait for others. Not called for a body of announced size that arrives in one piece, unless bytes are reserved. */
  readonly hold: Hold;
  /** Bytes that are counted from the beginning, for the decompressor; none by default. */
  readonly reserved?: number;
}

/** Begins to count the bytes of a body. `giveUp` is called when the body must be dropped to make room for others. */
export type Hold = (giveUp: (reason: Error) => void) => HeldBytes;

/** Memory of a decompressor, in bytes. */
export const DECOMPRESSOR_BYTES = 256 * 1024;

/** Pieces of at least this many bytes are kept as they arrive. */
const BLOCK = 4096;

/**
 * Collects the bytes of a body. Most bodies are short, announce their size and arrive in one piece, which is neither counted nor copied.
 * Small pieces are copied into blocks, because Node needs a buffer of about 300 bytes for each, and a sender may send pieces of one byte.
 */
export class BodyCollector {
  readonly #collecting: Collecting;
  readonly #giveUp: (reason: Error) => void;
  readonly #pieces: Uint8Array[] = [];
  /** The latest small pieces, copied one after the other. */
  #block: Uint8Array | undefined;
  #used = 0;
  #length = 0;
  #held: HeldBytes | undefined;

  /**
   * @param giveUp called when the body must be dropped to make room for others
   * @throws A2AError REQUEST_TOO_LARGE when the announced size exceeds the limit; the errors of {@link HeldBytes.add}
   */
  constructor(collecting: Collecting, giveUp: (reason: Error) => void) {
    const { limit, announced = 0 } = collecting;
    if (announced > limit) throw bodyTooLarge(limit);
    this.#collecting = collecting;
    this.#giveUp = giveUp;
    if (collecting.reserved !== undefined) this.#count(collecting.reserved);
  }

  /**
   * Adds a piece that has arrived.
   * @throws A2AError REQUEST_TOO_LARGE; the errors of {@link HeldBytes.add}
   */
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

  /** All bytes that have arrived. */
  join(): Uint8Array {
    this.#flush();
    const [first = new Uint8Array(0)] = this.#pieces;
    return this.#pieces.length <= 1 ? first : joinBytes(this.#pieces);
  }

  /** Stops counting the bytes. Called when the body is complete or dropped. */
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

/** The content coding of a body in lower case (RFC 9110 §8.4.1); `""` for a body without one. */
export function encodingOf(headers: HostRequest["headers"]): string {
  const encoding = String(headers["content-encoding"] ?? "")
    .trim()
    .toLowerCase();
  return encoding === "identity" ? "" : encoding;
}

/**
 * Requests a turn of the event loop in which a body is decoded and parsed. The bytes of a large body are counted while it waits.
 * @param owner network address of the sender
 * @returns undefined if the body may be parsed now, which is the usual case; otherwise a promise, which rejects with the errors of
 * {@link HeldBytes.add}, and when the body must be dropped to make room for others
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

/** Ignores a byte order mark. */
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * The text of a body; undefined if it is empty.
 * @throws A2AError PARSE_ERROR when the bytes are not UTF-8
 */
export function decoded(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    throw notUtf8();
  }
}

/** The error for a request whose body is not valid UTF-8. */
export function notUtf8(): A2AError {
  return new A2AError("PARSE_ERROR", "The request body is not valid UTF-8");
}

/** The error for a request whose body exceeds the limit. */
export function bodyTooLarge(limit: number, cause?: unknown): A2AError {
  return new A2AError("REQUEST_TOO_LARGE", `The request body is larger than ${limit} bytes`, { cause });
}

/** The error for a request whose content coding is not supported. */
export function unknownEncoding(readable: string, cause: unknown): A2AError {
  return new A2AError("CONTENT_TYPE_NOT_SUPPORTED", `Use ${readable} as Content-Encoding, or none`, {
    cause,
  });
}

/** The error for a request whose body ends too soon or cannot be decompressed. */
export function brokenBody(isCompressed: boolean, cause: unknown): A2AError {
  return isCompressed
    ? new A2AError("PARSE_ERROR", "The request body cannot be decompressed", { cause })
    : new A2AError("INVALID_REQUEST", "The request body did not arrive as announced", { cause });
}

/**
 * The text of a body that a parser of the framework has read, because the stream can be read only once.
 * @returns undefined if the parser has not left a result
 * @throws A2AError REQUEST_TOO_LARGE; PARSE_ERROR for bytes that are not UTF-8
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

/** The error for a body that other code has read before the agent. It is a mistake of the operator, so the advice is only logged. */
export function readBefore(cause?: unknown): A2AError {
  const advice =
    "mount the agent before anything that reads bodies, or use a parser that leaves its result on the request";
  const fault = new Error(
    `The body of a request was read before the agent could read it: ${advice}`,
    cause === undefined ? {} : { cause },
  );
  return new A2AError("INTERNAL_ERROR", undefined, { cause: fault });
}
