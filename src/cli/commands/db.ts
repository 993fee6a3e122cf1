import { resolve } from "node:path";
import { isDatabaseUrl, migrateDatabase } from "../../stores/migrate-database.js";
import type { Command } from "../command.js";
import { Failure, usage } from "../failure.js";

const SCHEME = "sqlite:";

/** `parley db backup`: copies the file of a SQLite store while servers use it. */
export const dbBackup: Command = {
  path: ["db", "backup"],
  summary: "Copy a SQLite task database while it is in use",
  args: [
    { name: "url", help: "sqlite:<file>" },
    { name: "copy", help: "File to create" },
  ],
  options: [],
  examples: ["parley db backup sqlite:tasks.db tasks-monday.db"],
  async run({ words, io, output }) {
    const [url = "", target = ""] = words;
    if (url.startsWith("postgres")) throw usage("Use pg_dump to copy a PostgreSQL database");
    if (!url.startsWith(SCHEME) || url === SCHEME)
      throw usage(`${named(url)} is not a SQLite database: sqlite:<file>`);
    const file = resolve(io.folder, url.slice(SCHEME.length));
    const copy = resolve(io.folder, target);
    try {
      const { backUpFile } = await import("../../stores/sqlite/backup-file.js");
      const bytes = backUpFile(file, copy);
      output.print({ copy, bytes }, (page) => page.field("Copy", `${copy}, ${bytes} bytes`));
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new Failure("PARLEY_ERR_DATABASE", message, { cause });
    }
  },
};

/** `parley db migrate`: migrates a database to the schema of this release before a server uses it. */
export const dbMigrate: Command = {
  path: ["db", "migrate"],
  summary: "Migrate a task database to the schema of this release",
  args: [
    {
      name: "url",
      help: "sqlite:<file>, postgres://user:password@host/database or libsql://host?authToken=...",
    },
  ],
  options: [],
  examples: ["parley db migrate sqlite:tasks.db", "parley db migrate postgres://parley@localhost/parley"],
  async run({ words, io, output }) {
    const [url = ""] = words;
    if (!isDatabaseUrl(url))
      throw usage(`${named(url)} is not a database: sqlite:<file>, postgres://... or libsql://...`);
    const address = url.startsWith(SCHEME) ? `${SCHEME}${resolve(io.folder, url.slice(SCHEME.length))}` : url;
    const { from, to } = await migrateDatabase(address).catch((cause: unknown) => {
      throw new Failure("PARLEY_ERR_DATABASE", cause instanceof Error ? cause.message : String(cause), {
        cause,
      });
    });
    output.print({ from, to }, (page) => {
      page.field("Version", from === to ? `${to}, as it was` : `${to}, was ${from}`);
    });
  },
};

/** An address without what may be secret: user, password and query. */
function named(url: string): string {
  return url.replace(/\/\/[^/?#]*@/, "//").replace(/[?#].*$/s, "");
}
