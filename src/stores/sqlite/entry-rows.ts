import { readEntry } from "../sql/rows.js";
import type { StoredEntry } from "../task-store.js";
import type { SqliteDatabase } from "./database.js";

/** Number of values of the low 28 bits of the column `place`, which hold the generation. Every generation is lower. */
export const GENERATIONS = 2 ** 28;

const READ = `SELECT place & ${GENERATIONS - 1} AS generation, body FROM parley_entries
  WHERE place > ((?1 << 28) | ?2) AND place < ((?1 + 1) << 28) ORDER BY place LIMIT ?3`;
const SIZES = `SELECT octet_length(body) AS bytes FROM parley_entries
  WHERE place > ((?1 << 28) | ?2) AND place < ((?1 + 1) << 28) ORDER BY place LIMIT ?3`;

/** A row of an entry. */
export interface EntryRow {
  readonly generation: number;
  readonly body: string;
}

/** Entries of a log; undefined when they were deleted, or there is no such log. */
export type ReadEntries = readonly StoredEntry[] | undefined;

/** Reads the entries of logs. */
export class EntryRows {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** At most `count` entries after a generation; undefined if there are none. With a `count` of 0, one entry is read to find that out. */
  read(id: number, after: number, count: number): ReadEntries {
    const rows = this.rows(id, after, Math.max(count, 1));
    return rows.length > 0 ? rows.slice(0, count).map(entryOf) : undefined;
  }

  /**
   * How many of the first `count` rows are within a limit on bytes, at least one if there is any, and their bytes. SQLite measures long
   * bodies without loading them. Without a limit it returns `count` and 0 bytes, and measures nothing.
   */
  within(id: number, after: number, count: number, maxBytes: number): { within: number; bytes: number } {
    let bytes = 0;
    let within = 0;
    if (maxBytes === Number.POSITIVE_INFINITY) return { within: count, bytes };
    for (const row of count > 0 ? this.#database.all<{ bytes: number }>(SIZES, id, after, count) : []) {
      if (within > 0 && bytes + row.bytes > maxBytes) break;
      bytes += row.bytes;
      within += 1;
    }
    return { within, bytes };
  }

  /** At most `count` rows after a generation. */
  rows(id: number, after: number, count: number): EntryRow[] {
    return count > 0 ? this.#database.all<EntryRow>(READ, id, after, count) : [];
  }
}

/** The entry of a row. */
export function entryOf({ body, generation }: EntryRow): StoredEntry {
  return readEntry(body, generation);
}
