import type { Lease } from "../lease-store.js";
import { SEND_LIFETIME_MS, type SendOutcome, type SendRecord } from "../send-ledger.js";
import type { Scope } from "../task-store.js";
import { keyText } from "./key-text.js";
import type { RemoteDatabase, SqlDialect } from "./remote-database.js";
import type { RemoteScopes } from "./remote-scopes.js";
import { type SendRow, sendOf } from "./rows.js";

const claim = ({
  timeIn,
}: SqlDialect) => `INSERT INTO parley_sends AS s (scope, key, fingerprint, node, until, expires)
  VALUES ($1, $2, $3, $4, ${timeIn("$6")} + $5, ${timeIn("$6")} + ${SEND_LIFETIME_MS})
  ON CONFLICT (scope, key) DO UPDATE SET fingerprint = excluded.fingerprint, outcome = NULL, node = excluded.node,
    until = excluded.until, expires = excluded.expires
  WHERE s.expires <= ${timeIn("$6")} OR (s.outcome IS NULL AND s.fingerprint = excluded.fingerprint
    AND (s.node = excluded.node OR s.until <= ${timeIn("$6")}))
  RETURNING scope`;
const known = ({ textOf }: SqlDialect) =>
  `SELECT fingerprint, ${textOf("outcome")} FROM parley_sends WHERE scope = $1 AND key = $2`;
const SETTLE = "UPDATE parley_sends SET outcome = $3 WHERE scope = $1 AND key = $2 AND outcome IS NULL";
const RELEASE = "DELETE FROM parley_sends WHERE scope = $1 AND key = $2 AND outcome IS NULL";

/** An idempotent send to claim: its key and fingerprint, and the lease of the node that processes it. */
interface Claim {
  readonly key: string;
  readonly fingerprint: string;
  readonly lease: Lease;
}

/** Records of idempotent sends, one row each. */
export class RemoteSends {
  readonly #database: RemoteDatabase;
  readonly #scopes: RemoteScopes;
  readonly #claim: string;
  readonly #known: string;

  constructor(database: RemoteDatabase, scopes: RemoteScopes, dialect: SqlDialect) {
    this.#database = database;
    this.#scopes = scopes;
    this.#claim = claim(dialect);
    this.#known = known(dialect);
  }

  /**
   * Claims the key of a send. Until the send has an outcome, the same node may claim it again with the same fingerprint, which renews the
   * lease. An expired record is replaced.
   * @returns undefined when the node has claimed the key; otherwise the existing record
   */
  async claim(
    scope: Scope,
    { key, fingerprint, lease }: Claim,
    now: number | null,
  ): Promise<SendRecord | undefined> {
    const { node, duration } = lease;
    const names = [await this.#scopes.make(scope), keyText(key)];
    for (;;) {
      const values = [...names, keyText(fingerprint), keyText(node), duration, now];
      if ((await this.#database.query(this.#claim, values)).length > 0) return undefined;
      const [row] = await this.#database.query<SendRow>(this.#known, names);
      // If the record was deleted between the two statements, the key may be free now.
      if (row !== undefined) return sendOf(row);
    }
  }

  /** Records the outcome of a send, unless it has one. */
  async settle(scope: Scope, key: string, outcome: SendOutcome): Promise<void> {
    const values = [await this.#scopes.find(scope), keyText(key), JSON.stringify(outcome)];
    await this.#database.query(SETTLE, values);
  }

  /** Deletes the record of a send that failed, unless it has an outcome. */
  async release(scope: Scope, key: string): Promise<void> {
    await this.#database.query(RELEASE, [await this.#scopes.find(scope), keyText(key)]);
  }
}
