/** The store of a new project. */
export type StoreKind = keyof typeof stores;

interface StoreChoice {
  /** Shown beside the choice when `init` asks. */
  readonly help: string;
  readonly dependencies: Readonly<Record<string, string>>;
  /** Lines of main that import and open the store. */
  readonly imports: string;
  readonly open: string;
  /** Environment variables of the store, with their meaning. */
  readonly variables: readonly (readonly [string, string])[];
  readonly note: string;
  readonly dockerFlags: string;
}

/** The stores that `init` offers. */
export const stores = {
  memory: {
    help: "tasks are lost when the process ends",
    dependencies: {},
    imports: "",
    open: "",
    variables: [],
    note: "Tasks are kept in memory: they are lost when the process ends.",
    dockerFlags: "",
  },
  sqlite: {
    help: "tasks are kept in a file",
    dependencies: { libsql: "^0.5.29" },
    imports: 'import { SqliteStore } from "a2a-parley/stores/sqlite";\n',
    open: 'const store = new SqliteStore({ file: process.env.TASKS ?? "tasks.db" });\n',
    variables: [["TASKS", "File of the tasks; `tasks.db` by default"]],
    note: "Tasks are kept in an SQLite file and survive a restart.",
    dockerFlags: " -v tasks:/data",
  },
  postgres: {
    help: "tasks are kept in a database, for several processes",
    dependencies: { pg: "^8.20.0" },
    imports: 'import { PostgresStore } from "a2a-parley/stores/postgres";\n',
    open: `const { DATABASE_URL } = process.env;
if (!DATABASE_URL) throw new Error("Set DATABASE_URL, such as postgres://user:password@localhost/tasks");
const store = await PostgresStore.open({ url: DATABASE_URL });
`,
    variables: [
      ["DATABASE_URL", "The database, such as `postgres://user:password@localhost/tasks`; required"],
    ],
    note: "Tasks are kept in PostgreSQL, 13 or newer. The tables are created at the first start.",
    dockerFlags: " -e DATABASE_URL",
  },
} as const satisfies Readonly<Record<string, StoreChoice>>;
