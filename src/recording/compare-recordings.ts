import { isJsonObject } from "../json/json-text.js";
import { eventsIn, type RecordedEvent } from "./recorded-events.js";
import type { RecordedExchange } from "./recorded-exchange.js";
import type { RecordingFile } from "./recording-file.js";

/** Two items that were compared, of which one may be missing. */
export interface Compared<Item> {
  readonly left: Item | undefined;
  readonly right: Item | undefined;
}

/** Two events, and whether they are equal apart from ids and times. */
export interface ComparedEvents extends Compared<RecordedEvent> {
  readonly isSame: boolean;
}

/** Two exchanges with their events. */
export interface ComparedExchanges extends Compared<RecordedExchange> {
  readonly events: readonly ComparedEvents[];
  /** Whether status and events are the same. */
  readonly isSame: boolean;
}

/** Members with ids that differ from run to run, and what they identify. All ids of messages count as equal: most events have a new one. */
const ids: Readonly<Record<string, string>> = {
  ...{ id: "task", taskId: "task", referenceTaskIds: "task", contextId: "context", artifactId: "artifact" },
  messageId: "",
};
/** Members with times. */
const TIMES = /^(timestamp|createdAt|updatedAt|lastModified|createTime|updateTime)$/;
/** Maximum number of cells of the table by which two lists are aligned. Longer lists are compared place by place. */
const MAX_CELLS = 4_000_000;

/**
 * Compares two recordings exchange by exchange and event by event. Ids differ from run to run and are compared by the order in which they
 * first appear: the first task of one recording is the first task of the other. Times are ignored.
 */
export function compareRecordings(left: RecordingFile, right: RecordingFile): ComparedExchanges[] {
  const [names, others] = [new Names(), new Names()];
  const pairs = aligned(left.exchanges, right.exchanges, purposeOf);
  return pairs.map(([one, other]) => {
    const events = aligned(
      keyed(one === undefined ? [] : eventsIn(one), names),
      keyed(other === undefined ? [] : eventsIn(other), others),
      keyOf,
    ).map(([a, b]) => ({ left: a?.event, right: b?.event, isSame: a !== undefined && a.key === b?.key }));
    const isSame = one !== undefined && one.status === other?.status && events.every((event) => event.isSame);
    return { left: one, right: other, events: paired(events), isSame };
  });
}

interface Keyed {
  readonly event: RecordedEvent;
  readonly key: string;
}

function keyed(events: readonly RecordedEvent[], names: Names): Keyed[] {
  return events.map((event) => ({ event, key: JSON.stringify(names.plain(event.value)) }));
}

function keyOf({ key }: Keyed): string {
  return key;
}

/** The key by which exchanges are aligned. */
function purposeOf({ purpose, method, url, request }: RecordedExchange): string {
  if (purpose !== undefined) return purpose;
  const called = /"method"\s*:\s*"([^"]+)"/.exec(request)?.[1] ?? "";
  return `${method} ${new URL(url).pathname} ${called}`;
}

/** The names that ids get by their first appearance in a recording. */
class Names {
  readonly #names = new Map<string, Map<string, string>>();

  /** A value with these names for ids, and without times. */
  plain(value: unknown, member = ""): unknown {
    if (typeof value === "string") {
      const kind = Object.hasOwn(ids, member) ? ids[member] : undefined;
      if (kind !== undefined) return kind && this.#nameOf(value, kind);
      return TIMES.test(member) ? "" : value;
    }
    if (Array.isArray(value)) return value.map((one) => this.plain(one, member));
    if (!isJsonObject(value)) return value;
    const members = Object.keys(value).sort();
    return Object.fromEntries(members.map((name) => [name, this.plain(value[name], name)]));
  }

  #nameOf(id: string, kind: string): string {
    const names = this.#names.get(kind) ?? new Map<string, string>();
    this.#names.set(kind, names);
    const name = names.get(id) ?? `${kind} ${names.size + 1}`;
    names.set(id, name);
    return name;
  }
}

type Pair<Item> = readonly [left: Item | undefined, right: Item | undefined];

/** Pairs the items that two lists have in common, in order. Each other item is paired with none. */
function aligned<Item>(
  left: readonly Item[],
  right: readonly Item[],
  key: (item: Item) => string,
): Pair<Item>[] {
  const [one, other] = [left.map(key), right.map(key)];
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  const [rows, columns] = [one.length - start, other.length - start];
  const same: Pair<Item>[] = left.slice(0, start).map((item, at) => [item, right[at]]);
  if (rows * columns > MAX_CELLS) {
    const rest = Array.from(
      { length: Math.max(rows, columns) },
      (_, at): Pair<Item> => [left[start + at], right[start + at]],
    );
    return [...same, ...rest];
  }
  const common = commonLengths(one.slice(start), other.slice(start));
  for (let [row, column] = [0, 0]; row < rows || column < columns; ) {
    const [item, match] = [left[start + row], right[start + column]];
    const isBoth = row < rows && column < columns && one[start + row] === other[start + column];
    const isLeft = (common[row + 1]?.[column] ?? -1) >= (common[row]?.[column + 1] ?? -1);
    if (isBoth) same.push([item, match]);
    else if (column >= columns || (row < rows && isLeft)) same.push([item, undefined]);
    else same.push([undefined, match]);
    if (isBoth || same.at(-1)?.[0] !== undefined) row += 1;
    if (isBoth || same.at(-1)?.[1] !== undefined) column += 1;
  }
  return same;
}

/** Lengths of the longest common subsequence of the ends of two lists, by where the ends begin. */
function commonLengths(one: readonly string[], other: readonly string[]): Uint32Array[] {
  const table = Array.from({ length: one.length + 1 }, () => new Uint32Array(other.length + 1));
  for (let row = one.length - 1; row >= 0; row -= 1)
    for (let column = other.length - 1; column >= 0; column -= 1) {
      const [here, below] = [table[row], table[row + 1]];
      if (here === undefined || below === undefined) continue;
      here[column] =
        one[row] === other[column]
          ? (below[column + 1] ?? 0) + 1
          : Math.max(below[column] ?? 0, here[column + 1] ?? 0);
    }
  return table;
}

/** Pairs events that only the left recording has with those that only the right one has at the same place, as changed events. */
function paired(events: readonly ComparedEvents[]): ComparedEvents[] {
  const rows: ComparedEvents[] = [];
  let [lefts, rights]: [RecordedEvent[], RecordedEvent[]] = [[], []];
  const close = () => {
    for (let at = 0; at < Math.max(lefts.length, rights.length); at += 1)
      rows.push({ left: lefts[at], right: rights[at], isSame: false });
    [lefts, rights] = [[], []];
  };
  for (const event of events) {
    if (event.isSame) {
      close();
      rows.push(event);
    } else {
      if (event.left !== undefined) lefts.push(event.left);
      if (event.right !== undefined) rights.push(event.right);
    }
  }
  close();
  return rows;
}
