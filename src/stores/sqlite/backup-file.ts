import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { sqliteDriver } from "../sql/drivers.js";

/** Milliseconds for which the copy waits while another process locks the file. */
const BUSY_MS = 10_000;

/**
 * Makes a consistent copy of a database file. Servers can read and write the file during the copy, without waiting. The copy is one
 * file without a `-wal`. It is written as `<copy>.part`, which is replaced if it exists, and renamed once it is complete and on disk.
 *
 * @returns size of the copy in bytes
 * @throws Error when `file` does not exist, cannot be read as a database or stays locked, `copy`, `<copy>-wal` or `<copy>-journal` already
 * exists, `<copy>.part` is `file`, the copy cannot be written, or the driver is not installed
 */
export function backUpFile(file: string, copy: string): number {
  if (!existsSync(file)) throw new Error(`There is no file ${file}`);
  if (existsSync(copy)) throw new Error(`${copy} already exists: name a new file`);
  for (const name of [`${copy}-wal`, `${copy}-journal`]) {
    if (existsSync(name))
      throw new Error(
        `${name} already exists, and SQLite would take it for a part of the copy: delete it or name another file`,
      );
  }
  const part = `${copy}.part`;
  if (existsSync(part) && realpathSync.native(part) === realpathSync.native(file))
    throw new Error(`${part}, as which the copy is written first, is the database itself: name another file`);
  rmSync(part, { force: true });
  try {
    const Driver = sqliteDriver();
    const database = new Driver(file, { timeout: BUSY_MS });
    try {
      database.prepare("VACUUM INTO ?").run(part);
    } finally {
      database.close();
    }
    const written = openSync(part, "r+");
    fsyncSync(written);
    closeSync(written);
    renameSync(part, copy);
    return statSync(copy).size;
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}
