import { stripVTControlCharacters } from "node:util";

/**
 * Control characters except tab and line feed, and the marks that change the direction of text, which can make one text look like
 * another.
 */
const CONTROL = /(?![\n\t])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Makes a text safe for a terminal: without escape sequences and control characters, so that an agent can neither control the
 * terminal nor hide what it says. Line ends become line feeds.
 */
export function plainText(text: string): string {
  return stripVTControlCharacters(text.replace(/\r\n/g, "\n")).replace(CONTROL, "");
}
