import { BoundedMap } from "../../collections/bounded-map.js";
import { keyText, nameOfKey } from "../sql/key-text.js";
import type { Scope } from "../task-store.js";
import type { SqliteDatabase } from "./database.js";

/** Maximum number of scopes whose numbers are cached. */
const MAX_CACHED = 10_000;

/** Numbers of scopes, by which the rows of other tables refer to them. */
export class ScopeNumbers {
  readonly #database: SqliteDatabase;
  readonly #known = new BoundedMap<string, number>(MAX_CACHED);

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** The number of a scope; 0, which no row has, if it has none. */
  find({ agent, tenant, owner }: Scope): number {
    const keys = [keyText(agent), keyText(tenant), keyText(owner)] as const;
    const name = keys.join('"');
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const row = this.#database.get<{ id: number }>(
      "SELECT id FROM parley_scopes WHERE agent = ? AND tenant = ? AND owner = ?",
      ...keys,
    );
    if (row === undefined) return 0;
    this.#known.set(name, row.id);
    return row.id;
  }

  /** Finds or creates the number of a scope. Part of a write. */
  make(scope: Scope): number {
    const keys = [keyText(scope.agent), keyText(scope.tenant), keyText(scope.owner)];
    return (
      this.find(scope) ||
      this.#database.insert("INSERT INTO parley_scopes (agent, tenant, owner) VALUES (?, ?, ?)", ...keys)
    );
  }

  /**
   * The scope with a number.
   * @throws Error when no scope has it
   */
  of(number: number): Scope {
    const row = this.#database.get<Scope>(
      "SELECT agent, tenant, owner FROM parley_scopes WHERE id = ?",
      number,
    );
    if (row === undefined) throw new Error(`There is no scope ${number}`);
    return { agent: nameOfKey(row.agent), tenant: nameOfKey(row.tenant), owner: nameOfKey(row.owner) };
  }

  /** Clears the cache. Called when a transaction is rolled back, because it may have created numbers. */
  clear(): void {
    this.#known.clear();
  }
}
