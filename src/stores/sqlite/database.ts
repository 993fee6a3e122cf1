import Libsql from "libsql";
import { versionFault } from "../sql/key-text.js";
import { isBusy } from "./database-fault.js";
import { migrations } from "./migrations.js";

/** Milliseconds for which one attempt waits for another process that is writing; the event loop stands still meanwhile. */
const BUSY_MS = 50;

/** A value in a statement. */
export type Value = string | number | null;

/** How a file is opened. */
export interface FileOptions {
  /** Path of the file; `:memory:` for none. */
  readonly file: string;
  /** Whether a commit waits until the disk has it. */
  readonly synchronous: "full" | "normal";
  /** Whether a file of an earlier version is brought to this one. */
  readonly migrate: boolean;
}

/** One connection to a file, with its statements prepared once each. */
export class SqliteDatabase {
  readonly #connection: Libsql.Database;
  readonly #statements = new Map<string, Libsql.Statement>();
  #found = migrations.length;

  /** @throws Error when the file cannot be opened, or is of a version that this release cannot work with */
  constructor({ file, synchronous, migrate }: FileOptions) {
    this.#connection = new Libsql(file, { timeout: BUSY_MS });
    try {
      // With a log of its own for writes, readers and the writer do not wait for each other.
      patiently(() => this.#connection.pragma("journal_mode = WAL"));
      this.#connection.pragma(`synchronous = ${synchronous}`);
      this.#connection.pragma("foreign_keys = ON");
      patiently(() => this.#migrate(migrate));
    } catch (error) {
      this.#connection.close();
      throw error;
    }
  }

  /** Which version it had when it was opened, and which it has now. */
  get migrated(): { readonly from: number; readonly to: number } {
    return { from: this.#found, to: migrations.length };
  }

  get isOpen(): boolean {
    return this.#connection.open;
  }

  /** Whether a transaction has begun and not ended: SQLite itself ends one when the machine fails it. */
  get inTransaction(): boolean {
    return this.#connection.inTransaction;
  }

  /** The only row of a query, or none. */
  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    // Of several values none is taken for a list of names.
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  /** Changes something; gives the number of rows. */
  run(sql: string, ...values: Value[]): number {
    return this.#statement(sql).run(...values).changes;
  }

  /** Adds a row; gives its number. */
  insert(sql: string, ...values: Value[]): number {
    return Number(this.#statement(sql).run(...values).lastInsertRowid);
  }

  /** Changes whenever another connection has written. */
  get foreignWrites(): number {
    return this.get<{ data_version: number }>("PRAGMA data_version")?.data_version ?? 0;
  }

  /** Undoes what the transaction has done, unless the failure that led here has done so. */
  rollback(): void {
    if (this.inTransaction) this.#connection.exec("ROLLBACK");
  }

  /**
   * Closes the file. What is in the `-wal` goes into the file first, so that the last process to close it leaves everything in one
   * file; another process that is reading or writing may keep some of it in the `-wal`.
   */
  close(): void {
    this.#statements.clear();
    try {
      this.#connection.pragma("wal_checkpoint(TRUNCATE)");
    } catch {
      // What stays in the -wal is read from there by whoever opens the file next.
    }
    this.#connection.close();
  }

  #statement(sql: string): Libsql.Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Brings the file to this version; of several processes that do so at the same time one does it. */
  #migrate(mayMigrate: boolean): void {
    this.#found = this.#version();
    const fault = versionFault(this.#found, migrations.length, mayMigrate);
    if (fault !== undefined) throw new Error(fault);
    if (this.#found === migrations.length) return;
    this.#connection.exec("BEGIN IMMEDIATE");
    try {
      this.#connection.exec("CREATE TABLE IF NOT EXISTS parley_schema (version INTEGER NOT NULL) STRICT");
      for (const step of migrations.slice(this.#version())) this.#connection.exec(step);
      this.#connection.exec("DELETE FROM parley_schema");
      this.#connection.exec(`INSERT INTO parley_schema VALUES (${migrations.length})`);
      this.#connection.exec("COMMIT");
    } catch (error) {
      this.#connection.exec("ROLLBACK");
      throw error;
    }
  }

  #version(): number {
    const table = "SELECT name FROM sqlite_master WHERE name = 'parley_schema'";
    if (this.#connection.prepare(table).all().length === 0) return 0;
    const [row] = this.#connection.prepare("SELECT version FROM parley_schema").all() as {
      version: number;
    }[];
    return row?.version ?? 0;
  }
}

/** Tries again while another process is at the same file, as when several start at once. */
function patiently(run: () => void): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      run();
      return;
    } catch (error) {
      if (!isBusy(error) || attempt === 100) throw error;
    }
  }
}
