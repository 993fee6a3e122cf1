import type { Part } from "./model.js";

/** Members of a part besides its content (§4.1.6). */
export interface PartOptions {
  readonly filename?: string | undefined;
  readonly mediaType?: string | undefined;
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

/** Everything that consists of parts: a message, an artifact, a draft of either. */
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
 */
export function textPart(text: string, options: PartOptions = {}): Part {
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
 */
export function filePart(bytes: Uint8Array, options: PartOptions = {}): Part {
  return { raw: toBase64(bytes), ...given(options) };
}

/**
 * Creates a part with the URL of a file. The library never fetches it (§14.1).
 *
 * @example
 * ```ts
 * const part = urlPart("https://example.com/map.png", { mediaType: "image/png" });
 * ```
 */
export function urlPart(url: string, options: PartOptions = {}): Part {
  return { url, ...given(options) };
}

/**
 * The bytes of a file part.
 * @throws TypeError when the part has no member `raw`
 *
 * @example
 * ```ts
 * await writeFile("map.png", bytesOf(part));
 * ```
 */
export function bytesOf(part: Part): Uint8Array {
  if (part.raw === undefined) throw new TypeError("This part carries no bytes: it has no member `raw`");
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
 */
export function textOf(holder: PartsHolder): string {
  let text = "";
  for (const part of holder.parts) if (part.text !== undefined) text += part.text;
  return text;
}

/**
 * The values of the data parts of a message or artifact, in order.
 *
 * @example
 * ```ts
 * const [order] = dataOf(message);
 * ```
 */
export function dataOf(holder: PartsHolder): unknown[] {
  return holder.parts.filter((part) => part.data !== undefined).map((part) => part.data);
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
