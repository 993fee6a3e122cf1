import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testServer } from "../../test/support/postgres.js";

/** The store of a drill. */
export interface Backing {
  /** Address of the store, for the nodes. */
  readonly address: string;
  /** Stops the database as a crash would, and starts it again; undefined without a database server. */
  readonly restart?: () => void;
  /** Removes its files; undefined if they are removed with this process. */
  readonly remove?: () => void;
}

/** The stores that outlive a process, by name. */
export const backings: Readonly<Record<string, () => Promise<Backing>>> = {
  async postgres() {
    const server = await testServer();
    return { address: await server.database("drill"), restart: () => server.restart() };
  },
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), "parley-drill-"));
    const remove = () => rmSync(folder, { recursive: true, force: true });
    return { address: `sqlite:${join(folder, "tasks.db")}`, remove };
  },
};
