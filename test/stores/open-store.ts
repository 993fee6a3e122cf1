import { LibsqlStore } from "../../src/stores/libsql/index.js";
import { PostgresStore } from "../../src/stores/postgres/index.js";
import { SqliteStore } from "../../src/stores/sqlite/index.js";

/** Retention, so far as tests set it. */
type Options = Pick<ConstructorParameters<typeof SqliteStore>[0], "ttl" | "grace" | "maxTasks">;

/** A store that outlives its process, by where its data is. */
export async function openStore(
  url: string,
  options: Options = {},
): Promise<SqliteStore | PostgresStore | LibsqlStore> {
  if (url.startsWith("http:")) return LibsqlStore.open({ url, pollInterval: 50, ...options });
  if (url.startsWith("postgres:")) return PostgresStore.open({ url, ...options });
  return new SqliteStore({ file: url.slice("sqlite:".length), ...options });
}
