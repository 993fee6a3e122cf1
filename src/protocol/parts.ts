import { argumentError } from "./argument.js";
import type { Part } from "./model.js";

/** Members of a part besides its content (§4.1.6). */
export interface PartOptions {
  /** Name of the file that the part contains. */
  readonly filename?: string | undefined;
  /** Media type of the content, such as `image/png`. */
  readonly mediaType?: string | undefined;
  /** Free data about the part, by key. */
  readonly metadata?: { [key: string]: unknown } | undefined;
}

/** The options that are set. */
function given({ filename, mediaType, metadata }: PartOptions) {
  return {
    ...(filename !== undefined && { filename }),
    ...(mediaType !== undefined && { mediaType }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** Everything that consists of parts: a message, an artifact, or an object with the same list. */
interface PartsHolder {
  readonly parts: readonly Part[];
}

/**
 * Creates a part of plain text.
 *
 * @example
 * ```ts
 * const part = textPart("# Report", { mediaType: "text/markdown" });
 * ```
 * @throws TypeError for what is not a string
 */
export function textPart(text: string, options: PartOptions = {}): Part {
  if (typeof text !== "string") throw argumentError("A text part needs a string", text);
  return { text, ...given(options) };
}

/**
 * Creates a part with any JSON value, including null.
 *
 * @example
 * ```ts
 * const part = dataPart({ city: "Lisbon", days: 2 });
 * ```
 */
export function dataPart(data: unknown, options: PartOptions = {}): Part {
  return { data, ...given(options) };
}

/**
 * Creates a part with the bytes of a file. They are sent as base64 text inside the message.
 *
 * @example
 * ```ts
 * const part = filePart(await readFile("map.png"), { filename: "map.png", mediaType: "image/png" });
 * ```
 * @throws TypeError for what is not a Uint8Array, such as an ArrayBuffer
 */
export function filePart(bytes: Uint8Array, options: PartOptions = {}): Part {
  if (bytes?.[Symbol.toStringTag] !== "Uint8Array")
    throw argumentError("A file part needs bytes as a Uint8Array", bytes);
  return { raw: toBase64(bytes), ...given(options) };
}

/**
 * Creates a part with the URL of a file. The library never fetches it (§14.1).
 *
 * @example
 * ```ts
 * const part = urlPart("https://example.com/map.png", { mediaType: "image/png" });
 * ```
 * @throws TypeError for what is not a string
 */
export function urlPart(url: string, options: PartOptions = {}): Part {
  if (typeof url !== "string") throw argumentError("A URL part needs a string", url);
  return { url, ...given(options) };
}

/**
 * The bytes of a file part.
 * @throws TypeError when the part has no member `raw`, and DOMException when `raw` is not base64. Parts from the network always have base64
 *   there, unless the client is lenient
 *
 * @example
 * ```ts
 * await writeFile("map.png", bytesOf(part));
 * ```
 */
export function bytesOf(part: Part): Uint8Array {
  if (part?.raw === undefined) throw new TypeError("This part has no bytes: it has no member `raw`");
  return fromBase64(part.raw);
}

/**
 * The text of a message or artifact: its text parts concatenated without a separator, because they may be chunks of one
 * text. Other parts are ignored.
 *
 * @example
 * ```ts
 * console.log(textOf(message));
 * ```
 * @throws TypeError for what has no list of parts, such as a task
 */
export function textOf(holder: PartsHolder): string {
  let text = "";
  for (const part of partsOf(holder, "textOf")) if (part.text !== undefined) text += part.text;
  return text;
}

/**
 * The values of the data parts of a message or artifact, in order.
 *
 * @example
 * ```ts
 * const [order] = dataOf(message);
 * ```
 * @throws TypeError for what has no list of parts, such as a task
 */
export function dataOf(holder: PartsHolder): unknown[] {
  return partsOf(holder, "dataOf")
    .filter((part) => part.data !== undefined)
    .map((part) => part.data);
}

function partsOf(holder: PartsHolder, reader: string): readonly Part[] {
  if (!Array.isArray(holder?.parts))
    throw argumentError(`${reader} needs a message or an artifact, which have \`parts\``, holder);
  return holder.parts;
}

/** `String.fromCharCode` takes characters as arguments, and the number of arguments is limited. */
const CHUNK = 0x8000;

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(binary);
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
