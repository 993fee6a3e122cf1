import { joinBytes } from "../../collections/join-bytes.js";
import { isJsonObject, writeJson } from "../../json/json-text.js";
import { ListOf } from "../../versions/list-of.js";
import type { AnswerRoom } from "../host.js";

const encoder = new TextEncoder();

/** Characters after which the event loop handles other work. */
const TURN = 256 * 1024;

/** Characters of items that are serialised in one call. A call for each item would cost as much as serialising a small task. */
const GROUP = 32 * 1024;

/** The envelope of a binding around the value of a response. */
export interface AnswerFrame {
  readonly before: string;
  readonly after: string;
}

/** The envelope of a list, and the memory that its response takes. */
export interface ListParts extends AnswerFrame {
  readonly room: AnswerRoom | undefined;
  /** Returns the approximate size of the response in bytes. Called only for a long one, which is counted from its beginning. */
  readonly size: () => number;
}

/**
 * Writes a response with a list, item by item. A long one is written over several turns of the event loop, so that other requests are
 * answered in between.
 * @param value the response as a JSON value, in which lists may be a {@link ListOf}
 * @returns a string for a short response, a promise for a long one
 */
export function writeList(value: unknown, parts: ListParts): string | Promise<Uint8Array> {
  const pieces = piecesOf(value);
  let text = parts.before;
  // Not `for of`, which would end the pieces when it is left.
  for (let next = pieces.next(); !next.done; next = pieces.next()) {
    text += next.value;
    if (text.length >= TURN) return writeInTurns(text, pieces, parts);
  }
  return text + parts.after;
}

async function writeInTurns(begin: string, pieces: Generator<string>, parts: ListParts): Promise<Uint8Array> {
  const { after, room, size } = parts;
  const chunks = [encoder.encode(begin)];
  room?.wrote(Math.max(size(), begin.length));
  // An item is written as a whole, and the next one is assumed to be as large as the largest so far.
  let most = begin.length;
  for (let isDone = false; !isDone; ) {
    await room?.goOn(most);
    let text = "";
    while (!isDone && text.length < TURN) {
      const next = pieces.next();
      isDone = next.done === true;
      text += next.done ? after : next.value;
    }
    chunks.push(encoder.encode(text));
    most = Math.max(most, text.length);
  }
  // Joining copies all of it.
  await room?.goOn(chunks.reduce((sum, { length }) => sum + length, 0));
  const bytes = joinBytes(chunks);
  room?.wrote(bytes.length);
  return bytes;
}

/**
 * The JSON text of a value in pieces. Lists, at the top or in its members, are written item by item and before the other members, which are
 * short and are written together.
 */
function* piecesOf(value: unknown): Generator<string> {
  if (isList(value)) yield* itemsOf(value, "");
  else if (isJsonObject(value)) {
    const others: [string, unknown][] = [];
    let separator = "{";
    for (const entry of Object.entries(value)) {
      const [name, member] = entry;
      if (isList(member)) {
        yield* itemsOf(member, `${separator}${writeJson(name)}:`);
        separator = ",";
      } else others.push(entry);
    }
    const text = writeJson(Object.fromEntries(others));
    if (separator === "{") yield text;
    else yield text === "{}" ? "}" : `,${text.slice(1)}`;
  } else yield writeJson(value);
}

/** The JSON text of a list after the text `before`, in groups of items. */
function* itemsOf(list: Iterable<unknown>, before: string): Generator<string> {
  let begin = `${before}[`;
  let group: unknown[] = [];
  // The size of the first item determines how many items the first group has; the size of each group does so for the next.
  let count = 1;
  for (const item of list) {
    group.push(item);
    if (group.length < count) continue;
    const text = writeItems(group);
    yield begin + text;
    begin = ",";
    count = Math.floor((GROUP * group.length) / text.length);
    group = [];
  }
  if (group.length > 0) yield `${begin}${writeItems(group)}]`;
  else yield begin === "," ? "]" : `${begin}]`;
}

/** The text of a list without its brackets. */
function writeItems(items: readonly unknown[]): string {
  return writeJson(items).slice(1, -1);
}

function isList(value: unknown): value is Iterable<unknown> {
  return Array.isArray(value) || value instanceof ListOf;
}
