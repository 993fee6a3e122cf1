import { MAX_OWNERS, shareOf } from "../sql/owner-turns.js";
import { type ConfigClaim, type ConfigClaims, configColumns } from "../sql/remote-push-configs.js";
import type { ConfigRow } from "../sql/rows.js";
import type { Bound } from "./bound.js";
import type { LibsqlDatabase } from "./database.js";
import { dialect } from "./statements.js";

/** The condition for configs that a node can claim: they are open, and no node holds them or their lease has expired at the time `$2`. */
const CLAIMABLE = `agent = $1 AND state = 'open' AND until <= ${dialect.timeIn("$2")}`;
const OLDEST = `SELECT place FROM parley_configs WHERE ${CLAIMABLE} ORDER BY place LIMIT $3`;
/**
 * The first configs of owners in the order of their names, at most `$4` of each, if `$3` or more configs can be claimed. `first` is the
 * condition on the first owner, and `others` that on the owners after it.
 */
const turns = (first: string, others: string) => `WITH RECURSIVE owners (owner, n) AS (
    SELECT (SELECT min(owner) FROM parley_configs WHERE agent = $1 AND state = 'open' AND ${first}), 1
      WHERE (SELECT count(*) FROM (${OLDEST})) >= $3
    UNION ALL SELECT (SELECT min(c.owner) FROM parley_configs AS c
        WHERE c.agent = $1 AND c.state = 'open' AND c.owner > o.owner AND ${others}), o.n + 1
      FROM owners AS o WHERE o.owner IS NOT NULL AND o.n < ${MAX_OWNERS})
  SELECT o.owner, c.place FROM owners AS o CROSS JOIN parley_configs AS c ON c.place IN (SELECT place FROM parley_configs
      WHERE ${CLAIMABLE} AND owner = o.owner ORDER BY place LIMIT $4)
    WHERE o.owner IS NOT NULL ORDER BY o.n LIMIT $3`;
const AFTER_LAST = turns("owner > $5", "true");
const UP_TO_LAST = turns("owner <= $5", "c.owner <= $5");
/** Claims configs. If `$6` is true, an earlier attempt may have done so: those that this node holds are returned, too. */
const TAKE = `UPDATE parley_configs SET node = $4, until = ${dialect.timeIn("$2")} + $5
  WHERE place IN (SELECT value FROM json_each($3)) AND (${CLAIMABLE} OR ($6 AND state = 'open' AND node = $4))
  RETURNING ${configColumns(dialect)}`;

interface Candidate {
  readonly place: number;
  /** Owner whose turn it is; undefined for the oldest configs of any owner. */
  readonly owner?: string;
}

/** Claims configs: a first request finds them, and a second one takes them, if there are any. */
export class PushClaims implements ConfigClaims {
  readonly #database: LibsqlDatabase;
  /** The owner that had the last turn, by agent. */
  readonly #lastOwner = new Map<string, string>();

  constructor(database: LibsqlDatabase) {
    this.#database = database;
  }

  async claim({ agent, node, duration, limit, now }: ConfigClaim): Promise<ConfigRow[]> {
    const places = await this.#candidates(agent, limit, now);
    if (places.length === 0) return [];
    const [rows = []] = await this.#database.repeatableForLease(duration, (mayBeDone, time) =>
      this.#database.write([[TAKE, [agent, now, places, node, duration, mayBeDone]]], time),
    );
    return rows as ConfigRow[];
  }

  /** The `place` of each config to claim: first those of the owners whose turn it is, then the oldest. */
  async #candidates(agent: string, limit: number, now: number | null): Promise<number[]> {
    const last = this.#lastOwner.get(agent) ?? "";
    const values = [agent, now, limit, shareOf(limit), last];
    const queries: Bound[] = [
      [OLDEST, [agent, now, limit]],
      [AFTER_LAST, values],
      [UP_TO_LAST, values],
    ];
    const [oldest = [], ...found] = (await this.#database.read(queries)) as Candidate[][];
    const chosen = found.flat().slice(0, limit);
    const owner = chosen.at(-1)?.owner;
    if (owner !== undefined) this.#lastOwner.set(agent, owner);
    const places = new Set([...chosen, ...oldest].map(({ place }) => place));
    return [...places].slice(0, limit);
  }
}
