import { joinBytes } from "../../collections/join-bytes.js";
import { isJsonObject, writeJson } from "../../json/json-text.js";
import { ListOf } from "../../versions/list-of.js";
import type { AnswerRoom } from "../host.js";

const encoder = new TextEncoder();

/** Characters after which others have their turn. */
const TURN = 256 * 1024;

/** Characters of items that are written together. A call for each item would cost as much as a small task itself. */
const GROUP = 32 * 1024;

/** What a binding puts around the value of an answer. */
export interface AnswerFrame {
  readonly before: string;
  readonly after: string;
}

/** Where a list goes. */
export interface ListParts extends AnswerFrame {
  readonly room: AnswerRoom | undefined;
  /** About how many bytes the answer has. Asked only for a long one, whose bytes are counted from its beginning on. */
  readonly size: () => number;
}

/**
 * Writes an answer that holds a list, item by item. A short one is there at once; a long one is written over several turns of the event
 * loop, so that other requests are answered in between.
 * @param value the answer as a JSON value, in which lists may be a {@link ListOf}
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
  // An item is written as a whole, and the next one is most likely as large as the largest before it.
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

/** The text of a value in pieces: lists at its top and those of its members item by item. */
function* piecesOf(value: unknown): Generator<string> {
  if (isList(value)) yield* itemsOf(value);
  else if (isJsonObject(value)) {
    let separator = "{";
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${separator}${writeJson(name)}:`;
      if (isList(member)) yield* itemsOf(member);
      else yield writeJson(member);
      separator = ",";
    }
    yield separator === "{" ? "{}" : "}";
  } else yield writeJson(value);
}

function* itemsOf(list: Iterable<unknown>): Generator<string> {
  let separator = "[";
  let group: unknown[] = [];
  // The first item shows how many of its size make a group, and each group shows it for the next one.
  let count = 1;
  for (const item of list) {
    group.push(item);
    if (group.length < count) continue;
    const text = writeItems(group);
    yield separator + text;
    separator = ",";
    count = Math.floor((GROUP * group.length) / text.length);
    group = [];
  }
  if (group.length > 0) yield separator + writeItems(group);
  yield separator === "[" && group.length === 0 ? "[]" : "]";
}

/** The text of a list without its brackets. */
function writeItems(items: readonly unknown[]): string {
  return writeJson(items).slice(1, -1);
}

function isList(value: unknown): value is Iterable<unknown> {
  return Array.isArray(value) || value instanceof ListOf;
}
