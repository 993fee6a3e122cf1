import { runtime } from "#runtime";

const decoder = new TextDecoder();

/** Encodes text as base64 with the alphabet for URLs, without padding, for opaque tokens. */
export function encodeText(text: string): string {
  return runtime.toBase64Url(text);
}

/** Decodes base64 in either alphabet as UTF-8 text. Never throws: invalid input gives meaningless text. */
export function decodeText(base64: string): string {
  return decoder.decode(runtime.fromBase64(base64));
}
