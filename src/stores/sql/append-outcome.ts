import { checkRight } from "../append-right.js";
import { GenerationConflict } from "../task-store.js";
import { keyText, nameOfKey } from "./key-text.js";
import type { AppendedRow, PreparedAppend } from "./prepared-append.js";
import type { RemoteDatabase } from "./remote-database.js";

/** The statements of {@link AppendOutcome}. */
export interface OutcomeStatements {
  /** For the scope number and the encoded id of a task: its `generation`, when it `ended`, and `node` and `token` of its lease. */
  readonly check: string;
  /**
   * For a list of appends as JSON, with the members `n`, `scope`, `task`, `expected` and `generation`: `n`, the `id` of the task, the
   * `token` of its lease, and the `body` of each entry after `expected` up to `generation`, in their order.
   */
  readonly stored: string;
}

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
  readonly #database: RemoteDatabase;
  readonly #statements: OutcomeStatements;

  constructor(database: RemoteDatabase, statements: OutcomeStatements) {
    this.#database = database;
    this.#statements = statements;
  }

  /**
   * Checks whether an append is possible now, usually to find out why it was refused: the log must be at the expected generation and not
   * have ended, and the right must allow the append.
   * @throws GenerationConflict or LeaseConflict if it is not possible; the error of the database, or of the connection to it
   */
  async check({ scope, task, taskId, expected, right }: Pick<PreparedAppend, Checked>): Promise<void> {
    const [row] = await this.#database.query<TaskRow>(this.#statements.check, [scope, task]);
    const current = row?.generation ?? 0;
    if (current !== expected || typeof row?.ended === "number")
      throw new GenerationConflict(taskId, expected, current);
    const { node, token } = row ?? {};
    const isHeld = typeof node === "string" && typeof token === "string";
    checkRight(taskId, isHeld ? { node: nameOfKey(node), token: nameOfKey(token) } : undefined, right);
  }

  /**
   * Finds the appends that were carried out although their response was lost: the entries of the append are in the database, byte for byte,
   * or, if it has none, the task has the lease that it takes. One without entries that takes no lease is not found; it can be repeated.
   * @throws the error of the database, or of the connection to it
   */
  async stored(appends: readonly PreparedAppend[]): Promise<AppendedRow[]> {
    const queried = appends.map(({ scope, task, expected, texts }, n) => {
      return { n, scope, task, expected, generation: expected + texts.length };
    });
    const rows = await this.#database.query<StoredRow>(this.#statements.stored, [JSON.stringify(queried)]);
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

type Checked = "scope" | "task" | "taskId" | "expected" | "right";
