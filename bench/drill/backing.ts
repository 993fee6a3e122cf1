import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testServer } from "../../test/support/postgres.js";

/** Where the tasks of a drill are. */
export interface Backing {
  /** What the nodes are given. */
  readonly address: string;
  /** Stops the database as a crash would, and starts it again; undefined where there is no server. */
  readonly restart?: () => void;
  /** Removes its files; undefined where they go with this process. */
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
