import type { Lease } from "../lease-store.js";
import { SEND_LIFETIME_MS, type SendOutcome, type SendRecord } from "../send-ledger.js";
import { keyText } from "../sql/key-text.js";
import { type SendRow, sendOf } from "../sql/rows.js";
import type { Scope } from "../task-store.js";
import type { SqliteDatabase } from "./database.js";
import type { ScopeNumbers } from "./scope-numbers.js";

const CLAIM = `INSERT INTO parley_sends (scope, key, fingerprint, node, until, expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
  ON CONFLICT (scope, key) DO UPDATE SET fingerprint = ?3, outcome = NULL, node = ?4, until = ?5, expires = ?6
  WHERE expires <= ?7 OR (outcome IS NULL AND fingerprint = ?3 AND (node = ?4 OR until <= ?7))`;

/** An idempotent send to claim: its key and fingerprint, and the lease of the node that processes it. */
interface Claim {
  readonly key: string;
  readonly fingerprint: string;
  readonly lease: Lease;
}

/** Records of idempotent sends as rows. All methods run as part of a write. */
export class SentMessages {
  readonly #database: SqliteDatabase;
  readonly #scopes: ScopeNumbers;

  constructor(database: SqliteDatabase, scopes: ScopeNumbers) {
    this.#database = database;
    this.#scopes = scopes;
  }

  claim(scope: Scope, { key, fingerprint, lease }: Claim, now: number): SendRecord | undefined {
    const { node, duration } = lease;
    const number = this.#scopes.make(scope);
    const values = [
      number,
      keyText(key),
      keyText(fingerprint),
      keyText(node),
      now + duration,
      now + SEND_LIFETIME_MS,
      now,
    ];
    if (this.#database.run(CLAIM, ...values) > 0) return undefined;
    const sql = "SELECT fingerprint, outcome FROM parley_sends WHERE scope = ? AND key = ?";
    const row = this.#database.get<SendRow>(sql, number, keyText(key));
    return row && sendOf(row);
  }

  /** Records the outcome of a send, unless it has one. */
  settle(scope: Scope, key: string, outcome: SendOutcome): void {
    const sql = "UPDATE parley_sends SET outcome = ? WHERE scope = ? AND key = ? AND outcome IS NULL";
    this.#database.run(sql, JSON.stringify(outcome), this.#scopes.find(scope), keyText(key));
  }

  /** Deletes the record of a send that failed, unless it has an outcome. */
  release(scope: Scope, key: string): void {
    const sql = "DELETE FROM parley_sends WHERE scope = ? AND key = ? AND outcome IS NULL";
    this.#database.run(sql, this.#scopes.find(scope), keyText(key));
  }
}
