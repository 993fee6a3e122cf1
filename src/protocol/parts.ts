import type { Part } from "./model.js";

/** What every kind of part may carry besides its content (§4.1.6). */
export interface PartOptions {
  readonly filename?: string;
  readonly mediaType?: string;
  readonly metadata?: { [key: string]: unknown };
}

/** What content is made of parts: a message, an artifact, a draft of one. */
interface PartsHolder {
  readonly parts: readonly Part[];
}

/** A part of plain text. */
export function textPart(text: string, options: PartOptions = {}): Part {
  return { text, ...options };
}

/** A part with any JSON value, null included. */
export function dataPart(data: unknown, options: PartOptions = {}): Part {
  return { data, ...options };
}

/** A part with the bytes of a file. They travel as base64 text inside the message. */
export function filePart(bytes: Uint8Array, options: PartOptions = {}): Part {
  return { raw: toBase64(bytes), ...options };
}

/** A part that says where a file is. The library never fetches it (§14.1). */
export function urlPart(url: string, options: PartOptions = {}): Part {
  return { url, ...options };
}

/** The bytes of a raw part. */
export function bytesOf(part: Part): Uint8Array {
  if (part.raw === undefined) throw new TypeError("This part carries no bytes: it has no member `raw`");
  return fromBase64(part.raw);
}

/** The text of a message or artifact: its text parts, joined as they stand (chunks of one text), other kinds left out. */
export function textOf(holder: PartsHolder): string {
  let text = "";
  for (const part of holder.parts) if (part.text !== undefined) text += part.text;
  return text;
}

/** Values of the data parts of a message or artifact, in order. */
export function dataOf(holder: PartsHolder): unknown[] {
  return holder.parts.filter((part) => part.data !== undefined).map((part) => part.data);
}

/** `String.fromCharCode` takes its characters as arguments, and an argument list has a limit. */
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
