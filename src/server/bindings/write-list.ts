import { joinBytes } from "../../collections/join-bytes.js";
import { isJsonObject, writeJson } from "../../json/json-text.js";
import { LazyList } from "../../versions/lazy-list.js";
import type { AnswerRoom } from "../host.js";

const encoder = new TextEncoder();

/** Characters after which the event loop handles other work. */
const TURN = 256 * 1024;

/** Characters of items that are serialized in one call. A call for each item would cost as much as serializing a small task. */
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
 * @param value the response as a JSON value, in which lists may be a {@link LazyList}
 * @returns a string for a short response, a promise for a long one
 */
export function writeList(value: unknown, parts: ListParts): string | Promise<Uint8Array> {
  const writer = new ValueWriter(value);
  const text = writer.write(parts.before);
  return text.length < TURN ? text + parts.after : writeInTurns(text, writer, parts);
}

async function writeInTurns(begin: string, writer: ValueWriter, parts: ListParts): Promise<Uint8Array> {
  const { after, room, size } = parts;
  const chunks = [encoder.encode(begin)];
  room?.wrote(Math.max(size(), begin.length));
  // Items are not split, so chunks differ in size. The next one is assumed to be as large as the largest so far.
  let most = begin.length;
  for (let isDone = false; !isDone; ) {
    await room?.goOn(most);
    let text = writer.write("");
    isDone = writer.isDone;
    if (isDone) text += after;
    chunks.push(encoder.encode(text));
    most = Math.max(most, text.length);
  }
  // Joining copies all of it.
  await room?.goOn(chunks.reduce((sum, { length }) => sum + length, 0));
  const bytes = joinBytes(chunks);
  room?.wrote(bytes.length);
  return bytes;
}

type List = readonly unknown[] | LazyList<unknown>;

/**
 * Writes the JSON text of a value in parts. Lists, at the top or in its members, are written item by item and before the other members,
 * which are short and are written together.
 */
class ValueWriter {
  readonly #lists: ListWriter[] = [];
  /** Writes the text after the lists. */
  readonly #end: () => string;
  #isDone = false;

  constructor(value: unknown) {
    if (isList(value)) {
      this.#lists.push(new ListWriter("", value));
      this.#end = () => "";
    } else if (isJsonObject(value)) this.#end = this.#addMembers(value);
    else this.#end = () => writeJson(value);
    // The next list to write is the last one here.
    this.#lists.reverse();
  }

  /** Whether the whole text has been written. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Appends to `begin` until it has {@link TURN} characters or all is written. */
  write(begin: string): string {
    let text = begin;
    while (text.length < TURN && !this.#isDone) {
      const list = this.#lists.at(-1);
      if (list === undefined) {
        text += this.#end();
        this.#isDone = true;
      } else {
        text += list.writeGroup();
        if (list.isDone) this.#lists.pop();
      }
    }
    return text;
  }

  /** Adds the lists among the members of an object, and returns what writes the others. */
  #addMembers(value: object): () => string {
    const others: [string, unknown][] = [];
    for (const entry of Object.entries(value)) {
      const [name, member] = entry;
      if (isList(member)) {
        const separator = this.#lists.length === 0 ? "{" : ",";
        this.#lists.push(new ListWriter(`${separator}${writeJson(name)}:`, member));
      } else others.push(entry);
    }
    const isFirst = this.#lists.length === 0;
    return () => {
      const text = writeJson(Object.fromEntries(others));
      if (isFirst) return text;
      return text === "{}" ? "}" : `,${text.slice(1)}`;
    };
  }
}

/** Writes the JSON text of a list in groups of items. */
class ListWriter {
  readonly #list: List;
  #begin: string;
  #index = 0;
  /** Items of the next group. The first one has one item; the size of each group determines how many the next one has. */
  #count = 1;

  /** @param before the text in front of the list */
  constructor(before: string, list: List) {
    this.#list = list;
    this.#begin = `${before}[`;
  }

  get isDone(): boolean {
    return this.#index === this.#list.length;
  }

  /** Writes the next group, and the bracket after the last one. */
  writeGroup(): string {
    const list = this.#list;
    const from = this.#index;
    const to = Math.min(from + this.#count, list.length);
    const items: unknown[] = [];
    for (let index = from; index < to; index++) items.push(list.at(index));
    const text = writeJson(items).slice(1, -1);
    const begin = this.#begin;
    this.#begin = ",";
    this.#index = to;
    this.#count = Math.max(1, Math.floor((GROUP * items.length) / text.length));
    return to === list.length ? `${begin}${text}]` : begin + text;
  }
}

function isList(value: unknown): value is List {
  return Array.isArray(value) || value instanceof LazyList;
}
