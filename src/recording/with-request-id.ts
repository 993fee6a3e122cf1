import { isJsonObject, tryParseJson } from "../json/json-text.js";

/**
 * The text of a recorded JSON-RPC answer with another request id, of one response or of a stream of events. Only the id of the envelope
 * is replaced: ids in the payload keep their values, and so does the rest of the text.
 * @param answer as it was recorded
 * @param was id of the recorded request, as JSON
 * @param is id of the new request, as JSON
 */
export function withRequestId(answer: string, was: string, is: string): string {
  if (was === is) return answer;
  if (/^\s*\{/.test(answer)) return inEnvelope(answer, was, is);
  return answer.replace(DATA_LINES, (lines) => {
    const [end = ""] = /(\r\n|\r|\n)?$/.exec(lines) ?? [];
    const values = lines.slice(0, lines.length - end.length).split(LINE_END);
    const data = values.map((line) => line.replace(/^data:? ?/, "")).join("\n");
    const changed = inEnvelope(data, was, is);
    if (changed === data) return lines;
    const between = LINE_END.exec(lines)?.[0] ?? "\n";
    return `${changed
      .split("\n")
      .map((line) => `data: ${line}`)
      .join(between)}${end}`;
  });
}

const LINE_END = /\r\n|\r|\n/;

/** The consecutive data lines of an event. */
const DATA_LINES = /(?:^data(?::[^\r\n]*)?(?:\r\n|\r|\n|$))+/gm;

function inEnvelope(text: string, was: string, is: string): string {
  const value = tryParseJson(text);
  if (!isJsonObject(value) || value.jsonrpc === undefined || JSON.stringify(value.id) !== was) return text;
  const [start, end] = idIn(text);
  return `${text.slice(0, start)}${is}${text.slice(end)}`;
}

/** Strings, brackets, separators, and everything else without white space. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+/g;

/** Where the value of the member `id` of the outermost object is. The last one counts, as in JSON.parse. */
function idIn(text: string): readonly [start: number, end: number] {
  let depth = 0;
  let place: readonly [number, number] = [text.length, text.length];
  let before: readonly string[] = [];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const [name, colon] = before;
    if (depth === 1 && colon === ":" && name === '"id"') place = [index, index + token.length];
    if (token === "{" || token === "[") depth += 1;
    if (token === "}" || token === "]") depth -= 1;
    before = [before[1] ?? "", token];
  }
  return place;
}
