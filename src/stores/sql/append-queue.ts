import { turns } from "../../async/turns.js";
import { AppendOutcome } from "../sql/append-outcome.js";
import type { AppendSender } from "../sql/log-statements.js";
import { type AppendedRow, bytesToSend, type PreparedAppend } from "../sql/prepared-append.js";
import { kindOfFailure, StoreError } from "../store-error.js";
import type { PostgresDatabase } from "./database.js";
import { isCollision, isConnectionFault, storeError } from "./database-fault.js";
import { outcomeStatements } from "./statements.js";

/**
 * Appends to many logs in one statement. `$1` is a list of appends as JSON, at most one per task; `$2` is the time, or null for the
 * server's; `$3` holds the entries of all appends in sequence, and `$4` the append that each belongs to; `$5` and `$6` hold checkpoints
 * in the same way. Bodies have the type `json` and are never decoded, because their strings may contain characters that PostgreSQL
 * refuses in `text`. Appends that are missing from the result were refused.
 *
 * The row of a task is updated only if it is at the expected generation, has not ended, and its lease, or the absence of one, satisfies
 * the right of the append, as in `checkRight`. A concurrent append waits for the row lock and is then checked against the new row.
 */
const APPEND = `
WITH clock AS MATERIALIZED (
  SELECT coalesce($2::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now
), input AS MATERIALIZED (
  SELECT * FROM json_to_recordset($1::json) AS x (
    scope bigint, task text, context text, expected integer, generation integer, state text, stamp text, over boolean,
    "right" text, token text, agent text, node text, duration bigint, work integer, n integer, first integer
  )
), created AS (
  INSERT INTO parley_tasks (scope, task, context, generation, state, stamp, written, ended,
    lease_agent, lease_node, lease_token, lease_until, lease_work, lease_attempt)
  SELECT scope, task, context, generation, state, stamp, now, CASE WHEN over THEN now END,
    CASE WHEN NOT over THEN agent END, CASE WHEN NOT over THEN node END, CASE WHEN NOT over THEN token END,
    CASE WHEN NOT over THEN now + duration END, CASE WHEN NOT over THEN work END, CASE WHEN NOT over AND node <> '' THEN 1 END
  FROM input, clock WHERE expected = 0 AND ("right" IS NULL OR "right" = 'lease') ORDER BY scope, task
  ON CONFLICT (scope, task) DO NOTHING
  RETURNING id, scope, task
), moved AS (
  UPDATE parley_tasks AS t SET
    generation = i.generation,
    written = CASE WHEN i.generation > i.expected THEN now ELSE t.written END,
    state = coalesce(i.state, t.state),
    stamp = coalesce(i.stamp, t.stamp),
    ended = CASE WHEN i.over THEN now END,
    lease_agent = CASE WHEN i.over THEN NULL WHEN i."right" = 'lease' THEN i.agent ELSE t.lease_agent END,
    lease_node = CASE WHEN i.over THEN NULL WHEN i."right" = 'lease' THEN i.node ELSE t.lease_node END,
    lease_token = CASE WHEN i.over THEN NULL WHEN i."right" = 'lease' THEN i.token ELSE t.lease_token END,
    lease_until = CASE WHEN i.over THEN NULL WHEN i."right" = 'lease' THEN now + i.duration ELSE t.lease_until END,
    lease_work = CASE WHEN i.over THEN NULL WHEN i."right" IN ('lease', 'token') THEN i.work ELSE t.lease_work END,
    lease_attempt = CASE WHEN i.over THEN NULL WHEN i."right" = 'lease' THEN 1
      WHEN i."right" = 'token' AND i.work <> t.lease_work THEN 1 ELSE t.lease_attempt END
  FROM input AS i, clock
  WHERE i.expected > 0 AND t.scope = i.scope AND t.task = i.task AND t.generation = i.expected AND t.ended IS NULL
    AND CASE coalesce(i."right", '') WHEN '' THEN true WHEN 'external' THEN t.lease_token IS NOT NULL
      WHEN 'lease' THEN t.lease_token IS NULL OR t.lease_token = i.token ELSE t.lease_token = i.token END
  RETURNING t.id, t.scope, t.task
), done AS MATERIALIZED (
  SELECT w.id, i.* FROM (SELECT * FROM created UNION ALL SELECT * FROM moved) AS w JOIN input AS i USING (scope, task)
), entries AS (
  INSERT INTO parley_entries (task, generation, body)
  SELECT d.id, d.expected + e.place - d.first, e.body
  FROM json_array_elements($3::json) WITH ORDINALITY AS e (body, place)
  JOIN unnest($4::integer[]) WITH ORDINALITY AS o (n, place) USING (place) JOIN done AS d USING (n)
), snapshots AS (
  INSERT INTO parley_snapshots (task, generation, body)
  SELECT d.id, d.generation, s.body FROM json_array_elements($5::json) WITH ORDINALITY AS s (body, place)
  JOIN unnest($6::integer[]) WITH ORDINALITY AS o (n, place) USING (place) JOIN done AS d USING (n)
  ON CONFLICT (task) DO UPDATE SET generation = excluded.generation, body = excluded.body
  WHERE parley_snapshots.generation < excluded.generation
), ends AS (
  INSERT INTO parley_ends (scope, state, hour, tasks)
  SELECT scope, state, left(stamp, 13), count(*) FROM done WHERE over GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (scope, state, hour) DO UPDATE SET tasks = parley_ends.tasks + excluded.tasks
)
SELECT id, scope, task FROM done`;

/** The parameters of the statement. */
function appendValues(appends: readonly PreparedAppend[]): (string | number | number[] | null)[] {
  const texts = appends.flatMap((append) => append.texts);
  const owners = appends.flatMap((append, n) => append.texts.map(() => n));
  const saved = appends.flatMap(({ checkpoint }, n) => (checkpoint === undefined ? [] : { checkpoint, n }));
  let first = 0;
  const members = appends.map((append, n) => {
    const json = `{"n":${n},"first":${first},${append.members.slice(1)}`;
    first += append.texts.length;
    return json;
  });
  return [
    ...[`[${members.join()}]`, appends[0]?.now ?? null, `[${texts.join()}]`, owners],
    ...[`[${saved.map(({ checkpoint }) => checkpoint).join()}]`, saved.map(({ n }) => n)],
  ];
}

/** Maximum number of statements in flight. While they wait for the server's disk, further appends collect for the next one. */
const IN_FLIGHT = 3;

/** Maximum number of appends per statement. */
const MAX_APPENDS = 200;
/** Approximate maximum of the bytes of entries and checkpoints in a statement; a single append may be larger. */
const MAX_BYTES = 2 ** 22;

/** Maximum number of attempts at a batch whose connection breaks, or with which another transaction collides. */
const ATTEMPTS = 10;

/** The name under which statements wait for turns of the event loop. */
const APPENDS = "appends";

interface Waiting {
  readonly append: PreparedAppend;
  readonly resolve: (id: number) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: appends to different tasks share a statement if they arrive in one turn of the event loop, or wait because the maximum
 * number of statements is in flight. An append is acknowledged only after it is durable. When the connection breaks, the queue finds out
 * whether the append was carried out and repeats it if not.
 */
export class AppendQueue implements AppendSender {
  readonly #database: PostgresDatabase;
  readonly #outcome: AppendOutcome;
  #waiting: Waiting[] = [];
  #inFlight = 0;
  #isPlanned = false;

  constructor(database: PostgresDatabase) {
    this.#database = database;
    this.#outcome = new AppendOutcome(database, outcomeStatements);
  }

  /**
   * Resolves with the number of the task once the append is durable.
   * @throws GenerationConflict, LeaseConflict
   * @throws StoreError for an error of PostgreSQL or of the connection to it
   */
  add(append: PreparedAppend): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ append, resolve, reject });
      if (this.#isPlanned) return;
      this.#isPlanned = true;
      setImmediate(() => {
        this.#isPlanned = false;
        this.#pump();
      });
    });
  }

  /** @throws GenerationConflict, LeaseConflict; the error of PostgreSQL, or of the connection to it */
  explain(append: PreparedAppend): Promise<void> {
    return this.#outcome.explain(append);
  }

  #pump(): void {
    while (this.#waiting.length > 0 && this.#inFlight < IN_FLIGHT) {
      this.#inFlight += 1;
      void this.#run(this.#take()).finally(() => {
        this.#inFlight -= 1;
        this.#pump();
      });
    }
  }

  /** Takes the next batch. It has each task at most once, because a statement can update a row only once. */
  #take(): Waiting[] {
    const batch = new Map<string, Waiting>();
    const rest: Waiting[] = [];
    let bytes = 0;
    for (const waiting of this.#waiting) {
      const { key } = waiting.append;
      const size = bytesToSend(waiting.append);
      const isFull = batch.size === MAX_APPENDS || (batch.size > 0 && bytes + size > MAX_BYTES);
      if (isFull || batch.has(key)) rest.push(waiting);
      else {
        batch.set(key, waiting);
        bytes += size;
      }
    }
    this.#waiting = rest;
    return [...batch.values()];
  }

  async #run(batch: readonly Waiting[]): Promise<void> {
    try {
      // The driver copies the texts into its message in one go.
      const turn = turns.enter(
        APPENDS,
        batch.reduce((sum, { append }) => sum + bytesToSend(append), 0),
      );
      if (turn !== undefined) await turn;
      const rows = await this.#append(batch.map(({ append }) => append));
      const ids = new Map(rows.map((row) => [keyOf(row), row.id]));
      await Promise.all(batch.map((waiting) => this.#settle(waiting, ids)));
    } catch (error) {
      const failure = storeError(error);
      const kind = kindOfFailure(failure);
      if (batch.length === 1 || kind === "transient" || kind === "permanent") {
        for (const { reject } of batch) reject(failure);
        return;
      }
      // PostgreSQL does not say which append it refuses. Halving the batch finds it.
      const middle = batch.length >> 1;
      await this.#run(batch.slice(0, middle));
      await this.#run(batch.slice(middle));
    }
  }

  /** Carries out appends. Returns those that succeeded, in this attempt or in one whose response was lost. */
  async #append(appends: readonly PreparedAppend[]): Promise<AppendedRow[]> {
    const found: AppendedRow[] = [];
    let left = appends;
    let isDoubtful = false;
    for (let attempt = 1; left.length > 0; attempt += 1) {
      try {
        const rows = await this.#database.once<AppendedRow>(APPEND, appendValues(left));
        // The server may have still been working on an earlier attempt when it was looked for. This attempt has waited for the end of it.
        const missing = without(left, rows);
        const late = isDoubtful && missing.length > 0 ? await this.#stored(missing) : [];
        return [...found, ...rows, ...late];
      } catch (error) {
        if (attempt === ATTEMPTS || !(isCollision(error) || isConnectionFault(error))) throw error;
        // This query waits about half a minute for a server.
        const stored = isConnectionFault(error) ? await this.#stored(left) : [];
        isDoubtful ||= isConnectionFault(error);
        found.push(...stored);
        left = without(left, stored);
      }
    }
    return found;
  }

  /**
   * Those of some appends that were carried out although their response was lost.
   * @throws StoreError of kind `transient` if that cannot be found out: only after that kind may an append be stored
   */
  async #stored(appends: readonly PreparedAppend[]): Promise<AppendedRow[]> {
    try {
      return await this.#outcome.stored(appends);
    } catch (cause) {
      throw new StoreError("transient", "PostgreSQL does not tell whether an append was carried out", {
        cause,
      });
    }
  }

  async #settle(waiting: Waiting, ids: ReadonlyMap<string, number>): Promise<void> {
    const id = ids.get(keyOf(waiting.append));
    if (id !== undefined) {
      waiting.resolve(id);
      return;
    }
    try {
      await this.#outcome.explain(waiting.append);
    } catch (error) {
      waiting.reject(storeError(error));
      return;
    }
    // The reason for the refusal no longer exists: try again.
    this.#waiting.push(waiting);
  }
}

/** The appends that are not among those that were carried out. */
function without(appends: readonly PreparedAppend[], rows: readonly AppendedRow[]): PreparedAppend[] {
  const isStored = new Set(rows.map(keyOf));
  return appends.filter((append) => !isStored.has(keyOf(append)));
}

function keyOf({ scope, task }: { readonly scope: number; readonly task: string }): string {
  return `${scope} ${task}`;
}
