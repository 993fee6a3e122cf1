import { MAX_OWNERS, shareOf } from "../sql/owner-turns.js";
import { type ConfigClaim, type ConfigClaims, configColumns } from "../sql/remote-push-configs.js";
import type { ConfigRow } from "../sql/rows.js";
import type { PostgresDatabase } from "./database.js";
import { dialect } from "./statements.js";
import { timeIn } from "./time-in.js";

/** Configs that a node can claim: they are open, and no node holds them or their lease has expired. */
const CLAIMABLE = (time: `$${number}`) => `agent = $1 AND state = 'open' AND until <= ${timeIn(time)}`;
/**
 * The candidates of a claim: the oldest configs and, if they reach the limit, those of the owners whose turn it is. Owners take turns in
 * their order, starting after the owner `$2` and wrapping around, until there are enough configs, or all owners or `MAX_OWNERS` of them
 * had a turn. The queries for a turn sort by `owner` and `place`, so that PostgreSQL prefers the index `parley_configs_turns`. Limits are
 * literals, because the generic plan of a prepared statement does not know its parameters.
 */
const candidates = (limit: number) => `WITH RECURSIVE
  oldest AS MATERIALIZED (SELECT place FROM parley_configs WHERE ${CLAIMABLE("$3")} ORDER BY place LIMIT ${limit}),
  turns AS (SELECT $2::text COLLATE "C" AS owner, false AS is_around, 0 AS n, 0::bigint AS found, NULL::bigint[] AS places
    WHERE (SELECT count(*) FROM oldest) = ${limit}
    UNION ALL SELECT next.owner, next.is_around, last.n + 1, last.found + cardinality(claimable.places), claimable.places
    FROM turns AS last CROSS JOIN LATERAL (
      (SELECT owner, last.is_around FROM parley_configs WHERE agent = $1 AND state = 'open' AND owner > last.owner
        AND (NOT last.is_around OR owner <= $2) ORDER BY owner, place LIMIT 1)
      UNION ALL (SELECT owner, true FROM parley_configs WHERE agent = $1 AND state = 'open' AND NOT last.is_around
        AND owner <= $2 ORDER BY owner, place LIMIT 1)
      ORDER BY is_around LIMIT 1) AS next
    CROSS JOIN LATERAL (SELECT ARRAY(SELECT place FROM parley_configs WHERE ${CLAIMABLE("$3")}
      AND owner >= next.owner AND owner <= next.owner ORDER BY owner, place LIMIT ${shareOf(limit)}) AS places) AS claimable
    WHERE last.found < ${limit} AND last.n < ${MAX_OWNERS})
  SELECT n, owner, places FROM turns WHERE n > 0
  UNION ALL SELECT 0, NULL, ARRAY(SELECT place FROM oldest ORDER BY place) ORDER BY n`;
/**
 * Claims the configs in `$5`. In place of those that can no longer be claimed, it claims the oldest others, up to `$6` in all; none if
 * `$6` is 0.
 */
const claims = (limit: number) => `WITH chosen AS MATERIALIZED (SELECT place FROM parley_configs
    WHERE place = ANY($5::bigint[]) AND ${CLAIMABLE("$4")} FOR UPDATE SKIP LOCKED),
  others AS MATERIALIZED (SELECT place FROM (SELECT place FROM parley_configs WHERE ${CLAIMABLE("$4")} AND place <> ALL($5::bigint[])
    ORDER BY place LIMIT ${limit} FOR UPDATE SKIP LOCKED) AS oldest
    LIMIT greatest(0, $6 - (SELECT count(*) FROM chosen)))
  UPDATE parley_configs SET node = $2, until = ${timeIn("$4")} + $3
  WHERE place IN (SELECT place FROM (SELECT place FROM chosen UNION ALL SELECT place FROM others) AS taken LIMIT ${limit})
  RETURNING ${configColumns(dialect)}`;

/** Configs to claim from one owner. The first row has the oldest configs of all owners instead. */
interface CandidateRow {
  readonly owner: string | null;
  /** Strings, because `typesOf` does not convert arrays of bigints. */
  readonly places: readonly string[];
}

/** Claims configs in two steps: a search, then the claim, if there are any to claim. */
export class PushClaims implements ConfigClaims {
  readonly #database: PostgresDatabase;
  /** The owner that had the last turn, by agent. */
  readonly #lastOwner = new Map<string, string>();

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async claim({ agent, node, duration, limit, now }: ConfigClaim): Promise<ConfigRow[]> {
    const places = await this.#candidates(agent, limit, now);
    if (places.length === 0) return [];
    const values = [agent, node, duration, now, places, places.length < limit ? 0 : limit];
    return this.#database.claim<ConfigRow>(claims(limit), values, duration);
  }

  /** The `place` of each config to claim: first those of the owners whose turn it is, then the oldest. */
  async #candidates(agent: string, limit: number, now: number | null): Promise<string[]> {
    const values = [agent, this.#lastOwner.get(agent) ?? "", now];
    const rows = await this.#database.query<CandidateRow>(candidates(limit), values);
    const [oldest, ...turns] = rows;
    const last = turns.at(-1)?.owner;
    if (typeof last === "string") this.#lastOwner.set(agent, last);
    const places = new Set([...turns, oldest].flatMap((row) => row?.places ?? []));
    return [...places].slice(0, limit);
  }
}
