import { statSync } from "node:fs";
import { dirname } from "node:path";
import type Libsql from "libsql";
import { checkVersion } from "../sql/check-version.js";
import { sqliteDriver } from "../sql/drivers.js";
import { isBusy, isNotDatabase } from "./database-fault.js";
import { migrations } from "./migrations.js";

/** Milliseconds for which a statement waits for another writing process. The event loop is blocked meanwhile. */
const BUSY_MS = 50;
/** Milliseconds for which a step of opening a file waits for other processes that lock it. The event loop is blocked meanwhile. */
const OPEN_MS = 5000;
/** Milliseconds between two attempts at such a step. */
const PAUSE_MS = 10;

/** A value in a statement. */
export type Value = string | number | null;

/** Options of a {@link SqliteDatabase}. */
export interface FileOptions {
  /** Path of the file; `:memory:` for a database in memory. */
  readonly file: string;
  /** Whether a commit waits for the disk. */
  readonly synchronous: "full" | "normal";
  /** Whether a new file, or one of an older version, is migrated; otherwise it is refused. */
  readonly migrate: boolean;
}

/** One connection to a file, with its prepared statements. */
export class SqliteDatabase {
  readonly #connection: Libsql.Database;
  readonly #statements = new Map<string, Libsql.Statement>();
  #found = migrations.length;

  /**
   * @throws Error when the driver is not installed, the file cannot be opened or migrated, is not a database or stays locked, or has a
   * version that this release cannot use
   */
  constructor({ file, synchronous, migrate }: FileOptions) {
    const Driver = sqliteDriver();
    this.#connection = openFile(Driver, file);
    try {
      // In WAL mode readers and the writer do not wait for each other.
      retryWhileBusy(() => this.#connection.pragma("journal_mode = WAL"));
      this.#connection.pragma(`synchronous = ${synchronous}`);
      this.#connection.pragma("foreign_keys = ON");
      retryWhileBusy(() => this.#migrate(migrate));
    } catch (error) {
      this.#connection.close();
      throw isNotDatabase(error) ? new Error(`${file} is not an SQLite database`, { cause: error }) : error;
    }
  }

  /** The version of the file when it was opened, and now. */
  get migrated(): { readonly from: number; readonly to: number } {
    return { from: this.#found, to: migrations.length };
  }

  get isOpen(): boolean {
    return this.#connection.open;
  }

  /** Whether a transaction is open. SQLite itself rolls it back after some errors, such as a full disk. */
  get inTransaction(): boolean {
    return this.#connection.inTransaction;
  }

  /** The first row of a query; undefined if there is none. */
  get<Row>(sql: string, ...values: Value[]): Row | undefined {
    return this.#statement(sql).get(...values) as Row | undefined;
  }

  /** The rows of a query. */
  all<Row>(sql: string, ...values: Value[]): Row[] {
    return this.#statement(sql).all(...values) as Row[];
  }

  /** Runs a statement; returns the number of changed rows. */
  run(sql: string, ...values: Value[]): number {
    return this.#statement(sql).run(...values).changes;
  }

  /** Inserts a row; returns its number. */
  insert(sql: string, ...values: Value[]): number {
    return Number(this.#statement(sql).run(...values).lastInsertRowid);
  }

  /** A number that changes when another connection has committed a write. */
  get externalWrites(): number {
    return this.get<{ data_version: number }>("PRAGMA data_version")?.data_version ?? 0;
  }

  /**
   * Begins a transaction that writes. The statement is not prepared: one that fails because the file is locked would stay active, and keep
   * later reads of the connection at the state of the file then.
   */
  begin(): void {
    this.#connection.exec("BEGIN IMMEDIATE");
  }

  /** Rolls back the open transaction, unless SQLite has already done so. */
  rollback(): void {
    if (this.inTransaction) this.#connection.exec("ROLLBACK");
  }

  /**
   * Closes the file after moving the content of the `-wal` into it, so that the file is complete after the last process has
   * closed it. Another process that reads or writes may keep a part in the `-wal`.
   */
  close(): void {
    this.#statements.clear();
    try {
      this.#connection.pragma("wal_checkpoint(TRUNCATE)");
    } catch {
      // The next process that opens the file reads the rest from the -wal.
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

  /**
   * Migrates the file. If several processes do so at the same time, one of them migrates and the others wait.
   * @throws Error when the file has to be migrated and may not, or this release does not know its version; the error of SQLite
   */
  #migrate(mayMigrate: boolean): void {
    this.#found = this.#version();
    checkVersion(this.#found, migrations.length, mayMigrate);
    if (this.#found === migrations.length) return;
    this.begin();
    try {
      // Another process may have migrated the file in the meantime, even to a version that this release does not know.
      const version = this.#version();
      checkVersion(version, migrations.length, mayMigrate);
      this.#connection.exec("CREATE TABLE IF NOT EXISTS parley_schema (version INTEGER NOT NULL) STRICT");
      for (const step of migrations.slice(version)) this.#connection.exec(step);
      this.#connection.exec("DELETE FROM parley_schema");
      this.#connection.exec(`INSERT INTO parley_schema VALUES (${migrations.length})`);
      this.#connection.exec("COMMIT");
    } catch (error) {
      this.rollback();
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

/** @throws Error that names the file and the reason, for which the driver often has only a number */
function openFile(Driver: typeof Libsql, file: string): Libsql.Database {
  try {
    return new Driver(file, { timeout: BUSY_MS });
  } catch (cause) {
    const reason = reasonAt(file) ?? (cause as Error).message;
    throw new Error(`The database file ${file} cannot be opened: ${reason}`, { cause });
  }
}

/** Why there can be no database at a path; undefined if that is not known. */
function reasonAt(file: string): string | undefined {
  const folder = dirname(file);
  try {
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) return `there is no folder ${folder}`;
    return statSync(file, { throwIfNoEntry: false })?.isDirectory() ? "it is a folder" : undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Retries while another process locks the file, for example because several start at the same time. Not every statement waits by itself:
 * the switch to WAL fails immediately while another process writes.
 * @throws what `run` throws; after {@link OPEN_MS} also that the file is locked
 */
function retryWhileBusy(run: () => void): void {
  const end = performance.now() + OPEN_MS;
  for (;;) {
    try {
      run();
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, PAUSE_MS);
  }
}
