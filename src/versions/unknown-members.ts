import { isJsonObject } from "../json/json-text.js";

/** How much of what a version does not know travels on with one value. */
interface UnknownBound {
  /** Members. */
  readonly members: number;
  /** Characters of all of them together, as JSON. */
  readonly characters: number;
}

/** For requests: room for what a later version may add, none for a second payload (§13.4). */
export const REQUEST_BOUND: UnknownBound = { members: 1000, characters: 64 * 1024 };

/**
 * Names of older versions, or of drafts and guides, that the definition does not have: they are ignored in requests and
 * never written (§5.7, §3.2.2, §1.4).
 */
const retired: ReadonlySet<string> = new Set([
  "kind",
  "type",
  "final",
  "blocking",
  "index",
  "createdAt",
  "lastModified",
  "configId",
  "taskStatusUpdate",
  "taskArtifactUpdate",
  "cursor",
  "limit",
]);

/**
 * Collects the unknown members of a value while it is read, and restores them after validation. Members of a later
 * version therefore pass unchanged through decoding, store, stream and webhook.
 */
export class UnknownMembers {
  readonly #found: [target: Record<string, unknown>, name: string, value: unknown][] = [];
  readonly #messages: ReadonlySet<string>;
  readonly #bound: UnknownBound | undefined;
  #characters = 0;

  /**
   * @param messages those in which unknown members are kept
   * @param bound what is over it is dropped; without one the value itself is the bound
   */
  constructor(messages: ReadonlySet<string>, bound?: UnknownBound) {
    this.#messages = messages;
    this.#bound = bound;
  }

  /** Whether unknown members of a message are kept. */
  takes(message: string): boolean {
    return this.#messages.has(message);
  }

  /** Notes a member of `target`. Names that reach into a prototype, and retired ones, are dropped (§13.4). */
  note(target: Record<string, unknown>, name: string, value: unknown): void {
    if (name in Object.prototype || retired.has(camelCase(name)) || !this.#hasRoom(name, value)) return;
    this.#found.push([target, name, value]);
  }

  /** Puts every member that was noted where it belongs. */
  restore(): void {
    for (const [target, name, value] of this.#found) target[name] = value;
  }

  #hasRoom(name: string, value: unknown): boolean {
    if (this.#bound === undefined) return true;
    if (this.#found.length >= this.#bound.members || this.#characters > this.#bound.characters) return false;
    this.#characters += name.length + JSON.stringify(value).length;
    return this.#characters <= this.#bound.characters;
  }
}

function camelCase(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

type Metadata = { [key: string]: unknown };

/** Data of a part, and what is noted of it. */
export interface NotedData<Data = unknown> {
  readonly data: Data;
  readonly metadata?: Metadata;
}

/** Marks data that was put into an object, because a version has data parts for nothing else. */
const WRAPPED = "data_part_compat";

/** A value that is no data in another version, in an object, with a mark in the metadata. */
export function wrapData(
  value: unknown,
  metadata?: Metadata,
): NotedData<{ value: unknown }> & { metadata: Metadata } {
  return { data: { value }, metadata: { ...metadata, [WRAPPED]: true } };
}

/** What {@link wrapData} was given; data without the mark stays as it is. */
export function unwrapData({ data, metadata }: NotedData): NotedData {
  const { [WRAPPED]: mark, ...own } = metadata ?? {};
  if (mark !== true || !isJsonObject(data) || !Object.hasOwn(data, "value"))
    return { data, ...(metadata && { metadata }) };
  return { data: data.value, ...(Object.keys(own).length > 0 && { metadata: own }) };
}
