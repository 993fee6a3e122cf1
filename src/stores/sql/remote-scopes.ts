import { BoundedMap } from "../../collections/bounded-map.js";
import type { Scope } from "../task-store.js";
import { keyText, nameOfKey } from "./key-text.js";
import type { RemoteDatabase } from "./remote-database.js";

/** Maximum number of scopes whose numbers are cached. */
const MAX_CACHED = 10_000;

const FIND = "SELECT id FROM parley_scopes WHERE agent = $1 AND tenant = $2 AND owner = $3";
const MAKE = "INSERT INTO parley_scopes (agent, tenant, owner) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";

/** Numbers of scopes. Rows refer to a scope by its number. */
export class RemoteScopes {
  readonly #database: RemoteDatabase;
  readonly #byNumber: string;
  readonly #numbers = new BoundedMap<string, number>(MAX_CACHED);
  readonly #scopes = new BoundedMap<number, Scope>(MAX_CACHED);

  /** @param byNumber the statement that finds the scopes whose numbers are in the list `$1` */
  constructor(database: RemoteDatabase, byNumber: string) {
    this.#database = database;
    this.#byNumber = byNumber;
  }

  /** The number of a scope; 0 when it has none, because nothing has been stored in it. */
  async find(scope: Scope): Promise<number> {
    const keys = keysOf(scope);
    const name = keys.join('"');
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const [row] = await this.#database.query<{ id: number }>(FIND, keys);
    if (row === undefined) return 0;
    this.#numbers.set(name, row.id);
    return row.id;
  }

  /** Finds or creates the number of a scope. */
  async make(scope: Scope): Promise<number> {
    const found = await this.find(scope);
    if (found > 0) return found;
    await this.#database.query(MAKE, keysOf(scope));
    return this.find(scope);
  }

  /** The scopes with these numbers, by number. Numbers that no scope has are left out. */
  async of(numbers: readonly number[]): Promise<ReadonlyMap<number, Scope>> {
    const found = new Map<number, Scope>();
    const unknown = numbers.filter((number) => {
      const scope = this.#scopes.get(number);
      if (scope !== undefined) found.set(number, scope);
      return scope === undefined;
    });
    if (unknown.length === 0) return found;
    for (const row of await this.#database.query<Scope & { id: number }>(this.#byNumber, [unknown])) {
      const { id, agent, tenant, owner } = row;
      const scope = { agent: nameOfKey(agent), tenant: nameOfKey(tenant), owner: nameOfKey(owner) };
      found.set(id, scope);
      this.#scopes.set(id, scope);
    }
    return found;
  }
}

function keysOf({ agent, tenant, owner }: Scope): [string, string, string] {
  return [keyText(agent), keyText(tenant), keyText(owner)];
}
