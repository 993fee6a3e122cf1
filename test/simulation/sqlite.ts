import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqliteStore } from "../../src/stores/sqlite/index.js";
import { type Backing, FOREVER } from "./backing.js";
import { databaseFault, openWatched } from "./statements.js";
import { turn, type World } from "./world.js";

let empty: string | undefined;
let folder = "";

/** One file for all nodes, with a connection of each: statements fail, and processes end between two of them. */
export async function sqliteBacking(world: World): Promise<Backing> {
  empty ??= await emptyFile();
  const own = mkdtempSync(join(folder, "seed-"));
  const file = join(own, "tasks.db");
  copyFileSync(empty, file);
  const stores: SqliteStore[] = [];
  return {
    isEmbedded: true,
    isSure: true,
    open(host) {
      const check = (sql: string) => {
        const isWrite = /^(INSERT|UPDATE|DELETE|COMMIT)/.test(sql);
        if (isWrite && world.happens(0.01)) host.crash();
        // What a crash has left undone is not done.
        if (!host.isAlive) throw new Error("The process is gone");
        if (!isWrite || !world.happens(0.01)) return;
        world.note(`${host.name} a statement fails: ${sql.slice(0, 40)}`);
        throw databaseFault();
      };
      const options = { file, synchronous: "normal", clock: host, grace: FOREVER } as const;
      const store = openWatched(check, () => new SqliteStore(options));
      stores.push(store);
      return store;
    },
    async quiet() {
      // What is written in one turn is committed in the next; sometimes that of several events together.
      if (world.chance() < 0.2) return;
      await turn();
      await turn();
    },
    async close() {
      for (const store of stores) await store.close();
      rmSync(own, { recursive: true, force: true });
    },
  };
}

/** A file that has been made ready: copying it is faster than that. */
async function emptyFile(): Promise<string> {
  folder = mkdtempSync(join(tmpdir(), "parley-simulation-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "empty.db");
  await new SqliteStore({ file }).close();
  return file;
}
