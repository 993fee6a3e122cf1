import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import Libsql from "libsql";

/** Milliseconds for which the copy waits for a process that is making the file ready. */
const BUSY_MS = 10_000;

/**
 * Copies a database file as it is at one moment, also while servers read and write it: those do not wait for it. The copy is one
 * file without a `-wal`, and there under its name only when it is whole and on the disk.
 *
 * @returns bytes of the copy
 * @throws Error when there is no database at `file`, or something is at `copy` already
 */
export function backUpFile(file: string, copy: string): number {
  if (!existsSync(file)) throw new Error(`There is no file ${file}`);
  if (existsSync(copy)) throw new Error(`${copy} is there already: name a file that is not`);
  const part = `${copy}.part`;
  rmSync(part, { force: true });
  try {
    const database = new Libsql(file, { timeout: BUSY_MS });
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
