import { closingQuote } from "./json-string.js";
import { isBeforeColon } from "./long-names.js";

/** Path of an object in a JSON text, as in `params.message.parts[0].data`; `""` for the whole text. */
export type JsonPath = string;

/** Maximum number of levels in a path. */
const SHOWN_LEVELS = 20;
/** Maximum length of a member name in a path, in characters. */
const SHOWN_NAME = 64;

/** An object or a list that is open at a position in a text. */
interface Level {
  readonly isList: boolean;
  /** Name of the current member. */
  name: string;
  /** Index of the current item. */
  index: number;
}

/** The path of the object that has a member name at a position. */
export function holderOf(text: string, position: number): JsonPath {
  const levels: Level[] = [];
  for (let at = 0; at < position; at += 1) {
    const code = text.charCodeAt(at);
    const level = levels.at(-1);
    if (code === QUOTE) {
      const closing = closingQuote(text, at + 1);
      if (level?.isList === false && isBeforeColon(text, closing))
        level.name = text.slice(at + 1, Math.min(closing, at + 1 + SHOWN_NAME));
      at = closing;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET)
      levels.push({ isList: code === OPEN_BRACKET, name: "", index: 0 });
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) levels.pop();
    else if (code === COMMA && level !== undefined) level.index += 1;
  }
  const ancestors = levels.slice(0, -1).slice(0, SHOWN_LEVELS);
  return ancestors
    .map(({ isList, name, index }) => (isList ? `[${index}]` : `.${name}`))
    .join("")
    .replace(/^\./, "");
}

const [QUOTE, COMMA, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [
  0x22, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d,
];
