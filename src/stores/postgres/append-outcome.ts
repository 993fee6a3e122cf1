import { checkRight } from "../append-right.js";
import { keyText, nameOfKey } from "../sql/key-text.js";
import { GenerationConflict } from "../task-store.js";
import type { PostgresDatabase } from "./database.js";
import type { AppendedRow, PreparedAppend } from "./prepared-append.js";

const EXPLAIN = `SELECT generation, ended, lease_node AS node, lease_token AS token FROM parley_tasks
  WHERE scope = $1 AND task = $2`;
const STORED = `SELECT i.n, t.id, t.lease_token AS token, e.body::text AS body
  FROM json_to_recordset($1::json) AS i (n integer, scope bigint, task text, expected integer, generation integer)
  JOIN parley_tasks AS t ON t.scope = i.scope AND t.task = i.task
  LEFT JOIN parley_entries AS e ON e.task = t.id AND e.generation > i.expected AND e.generation <= i.generation
  ORDER BY i.n, e.generation`;

interface TaskRow {
  readonly generation: number;
  readonly ended: number | null;
  readonly node: string | null;
  readonly token: string | null;
}

interface StoredRow {
  readonly n: number;
  readonly id: number;
  readonly token: string | null;
  readonly body: string | null;
}

/** Determines the outcome of appends whose response was lost or gives no reason. */
export class AppendOutcome {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  /**
   * Checks the generation and the right of an append, usually to find out why it was refused. Returns if both are valid now.
   * @throws GenerationConflict or LeaseConflict if one is not; the error of PostgreSQL, or of the connection to it
   */
  async explain({ scope, task, taskId, expected, right }: Pick<PreparedAppend, Explained>): Promise<void> {
    const [row] = await this.#database.query<TaskRow>(EXPLAIN, [scope, task]);
    const current = row?.generation ?? 0;
    if (current !== expected || typeof row?.ended === "number")
      throw new GenerationConflict(taskId, expected, current);
    const { node, token } = row ?? {};
    const isHeld = typeof node === "string" && typeof token === "string";
    checkRight(taskId, isHeld ? { node: nameOfKey(node), token: nameOfKey(token) } : undefined, right);
  }

  /**
   * Finds the appends that were carried out although their response was lost: their entries are in the database, byte for byte, or, if
   * they have none, the task has their lease.
   * @throws the error of PostgreSQL, or of the connection to it
   */
  async stored(appends: readonly PreparedAppend[]): Promise<AppendedRow[]> {
    const queried = appends.map(({ scope, task, expected, texts }, n) => {
      return { n, scope, task, expected, generation: expected + texts.length };
    });
    const rows = await this.#database.query<StoredRow>(STORED, [JSON.stringify(queried)]);
    return appends.flatMap(({ scope, task, texts, right }, n) => {
      const found = rows.filter((row) => row.n === n);
      const id = found[0]?.id;
      if (id === undefined) return [];
      const isTaken =
        right !== undefined && "lease" in right && found[0]?.token === keyText(right.lease.token);
      const isStored = texts.length > 0 ? texts.every((text, at) => found[at]?.body === text) : isTaken;
      return isStored ? [{ id, scope, task }] : [];
    });
  }
}

type Explained = "scope" | "task" | "taskId" | "expected" | "right";
