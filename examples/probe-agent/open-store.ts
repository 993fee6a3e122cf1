import { MemoryStore, type TaskStore } from "a2a-parley/stores";

/** Opens the store that the settings name: `memory`, `sqlite:<file>` or `postgres:<url>`. Only its own packages are loaded. */
export async function openStore(name: string): Promise<TaskStore & { close?(): Promise<void> }> {
  if (name === "memory") return new MemoryStore();
  if (name.startsWith("sqlite:")) {
    const { SqliteStore } = await import("a2a-parley/stores/sqlite");
    return new SqliteStore({ file: name.slice("sqlite:".length) });
  }
  const { PostgresStore } = await import("a2a-parley/stores/postgres");
  // `postgres:postgres://...` and `postgres://...` mean the same.
  return PostgresStore.open({ url: name.replace(/^postgres:(?=postgres)/, "") });
}
