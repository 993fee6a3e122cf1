import { runtime } from "#runtime";

const decoder = new TextDecoder();

/** A text in base64 with the alphabet for URLs, such as an opaque token. */
export function encodeText(text: string): string {
  return runtime.toBase64Url(text);
}

/** The text that base64 of either alphabet stands for. Whatever is not base64 or not UTF-8 makes a text that means nothing. */
export function decodeText(base64: string): string {
  return decoder.decode(runtime.fromBase64(base64));
}
