import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { sqliteDriver } from "../sql/drivers.js";

/** Milliseconds for which the copy waits while another process locks the file. */
const BUSY_MS = 10_000;

/**
 * Makes a consistent copy of a database file. Servers can read and write the file during the copy, without waiting. The copy is one
 * file without a `-wal`. It is written as `<copy>.part`, which is replaced if it exists, and renamed once it is complete and on disk.
 *
 * @returns size of the copy in bytes
 * @throws Error when `file` does not exist, cannot be read as a database or stays locked, `copy` already exists or cannot be written, or
 * the driver is not installed
 */
export function backUpFile(file: string, copy: string): number {
  if (!existsSync(file)) throw new Error(`There is no file ${file}`);
  if (existsSync(copy)) throw new Error(`${copy} already exists: name a new file`);
  const part = `${copy}.part`;
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
