import type { FetchHead } from "./api.js";
import type { InspectorEvent } from "./events.js";

/**
 * How events and bytes share a connection: a frame is its length (4 bytes, big-endian, of what follows), its kind (1 byte) and its
 * content. All events of a page and the answers of all its calls come over one connection, because browsers open six to a server.
 */

/** Header with the token of the launch. */
export const TOKEN_HEADER = "Inspector-Token";
/** Header with the page, as its first event has named it. */
export const PAGE_HEADER = "Inspector-Page";

/** A piece of the body of an answer, as it came. */
export interface Piece {
  readonly id: number;
  /** Milliseconds since the call was sent. */
  readonly time: number;
  readonly bytes: Uint8Array;
}

/** What a frame holds. */
export type PageFrame =
  | { readonly event: InspectorEvent; readonly piece?: never }
  | { readonly piece: Piece; readonly event?: never };

const EVENT = 1;
const PIECE = 2;
/** Length and kind. */
const HEAD = 5;
/** Number of the call, and time. */
const PIECE_HEAD = 12;
/** Longest frame that is read, in bytes. */
const LONGEST = 64 * 1024 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Writes a frame. */
export function writeFrame(frame: PageFrame): Uint8Array<ArrayBuffer> {
  if (frame.event !== undefined) {
    const text = encoder.encode(JSON.stringify(frame.event));
    return frameOf(EVENT, text.length, (bytes) => bytes.set(text));
  }
  const { id, time, bytes: body } = frame.piece;
  return frameOf(PIECE, PIECE_HEAD + body.length, (bytes) => {
    const view = viewOf(bytes);
    view.setUint32(0, id);
    view.setFloat64(4, time);
    bytes.set(body, PIECE_HEAD);
  });
}

function frameOf(kind: number, size: number, fill: (content: Uint8Array) => void): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(HEAD + size);
  viewOf(frame).setUint32(0, 1 + size);
  frame[4] = kind;
  fill(frame.subarray(HEAD));
  return frame;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Reads frames from bytes that arrive in pieces of any size. */
export class FrameReader {
  #chunks: Uint8Array[] = [];
  #size = 0;

  /**
   * Takes the next bytes.
   * @returns the frames that they complete
   * @throws RangeError for bytes that are no frames
   */
  read(bytes: Uint8Array): PageFrame[] {
    this.#chunks.push(bytes);
    this.#size += bytes.length;
    const frames: PageFrame[] = [];
    for (let length = this.#length(); this.#size >= 4 + length; length = this.#length()) {
      const whole = this.#take(4 + length);
      frames.push(contentOf(whole[4] ?? 0, whole.subarray(HEAD)));
    }
    return frames;
  }

  /** Length of the next frame; infinite when it has not arrived. */
  #length(): number {
    if (this.#size < 4) return Number.POSITIVE_INFINITY;
    if ((this.#chunks[0]?.length ?? 0) < 4) this.#chunks = [this.#take(this.#size, true)];
    const length = viewOf(this.#chunks[0] as Uint8Array).getUint32(0);
    if (length < 1 || length > LONGEST) throw new RangeError(`A frame cannot have ${length} bytes`);
    return length;
  }

  /** The next bytes in one piece. */
  #take(size: number, stays = false): Uint8Array {
    const taken = new Uint8Array(size);
    let at = 0;
    const left: Uint8Array[] = [];
    for (const chunk of this.#chunks) {
      const part = chunk.subarray(0, size - at);
      taken.set(part, at);
      at += part.length;
      if (part.length < chunk.length) left.push(chunk.subarray(part.length));
    }
    if (stays) return taken;
    this.#chunks = left;
    this.#size -= size;
    return taken;
  }
}

function contentOf(kind: number, content: Uint8Array): PageFrame {
  if (kind === EVENT) return { event: JSON.parse(decoder.decode(content)) as InspectorEvent };
  if (kind !== PIECE || content.length < PIECE_HEAD)
    throw new RangeError(`There is no frame of kind ${kind}`);
  const view = viewOf(content);
  const bytes = content.subarray(PIECE_HEAD);
  return { piece: { id: view.getUint32(0), time: view.getFloat64(4), bytes } };
}

/** The body of `POST api/fetch`: the length of the head (4 bytes, big-endian), the head as JSON, and the body of the call. */
export function writeCall(head: FetchHead, body: Uint8Array = new Uint8Array()): Uint8Array<ArrayBuffer> {
  const text = encoder.encode(JSON.stringify(head));
  const bytes = new Uint8Array(4 + text.length + body.length);
  viewOf(bytes).setUint32(0, text.length);
  bytes.set(text, 4);
  bytes.set(body, 4 + text.length);
  return bytes;
}

/**
 * Reads the body of `POST api/fetch`.
 * @throws RangeError or SyntaxError for bytes that are none
 */
export function readCall(bytes: Uint8Array): { readonly head: unknown; readonly body: Uint8Array } {
  const end = 4 + (bytes.length < 4 ? Number.POSITIVE_INFINITY : viewOf(bytes).getUint32(0));
  if (end > bytes.length) throw new RangeError("The call is cut off");
  const head: unknown = JSON.parse(decoder.decode(bytes.subarray(4, end)));
  return { head, body: bytes.subarray(end) };
}
