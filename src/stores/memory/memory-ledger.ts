import type { Clock } from "../../async/clock.js";
import { valueSize } from "../../json/value-size.js";
import type { Lease } from "../lease-store.js";
import { deepFreeze } from "../prepare.js";
import { SEND_LIFETIME_MS, type SendOutcome, type SendRecord } from "../send-ledger.js";
import { StoreFull } from "../store-error.js";
import { keyInScope, type Scope } from "../task-store.js";
import type { Counted, Owner } from "./owner.js";
import type { StoredBytes } from "./stored-bytes.js";

/** Approximate bytes of a row without its strings. */
const ROW = 560;

/** A claim of a send: its fingerprint, and the lease of the node that processes it. */
interface Claim {
  readonly fingerprint: string;
  readonly lease: Lease;
}

/** The record of a send, and the lease of the node that processes it. The record is replaced, never changed. */
class Row implements Counted {
  readonly rowKey: string;
  readonly owner: Owner;
  /** When the record expires, in milliseconds since 1970. */
  readonly until: number;
  record: SendRecord;
  /** Node that processes the send while there is no outcome. */
  node = "";
  /** When the lease of the node expires, in milliseconds since 1970. */
  heldUntil = 0;
  bytes = 0;
  older: Counted | undefined = undefined;
  newer: Counted | undefined = undefined;

  constructor(rowKey: string, owner: Owner, { fingerprint, until }: { fingerprint: string; until: number }) {
    this.rowKey = rowKey;
    this.owner = owner;
    this.until = until;
    this.record = Object.freeze({ fingerprint });
  }
}

/**
 * Records of sends by scope and key, oldest first. There is no timer: expired records are dropped when a send is claimed. Records with an
 * outcome may be dropped earlier to make room.
 */
export class MemoryLedger {
  readonly #rows = new Map<string, Row>();
  readonly #clock: Clock;
  readonly #bytes: StoredBytes;
  /** When to look for expired records again, in milliseconds since 1970. */
  #due = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, bytes: StoredBytes) {
    this.#clock = clock;
    this.#bytes = bytes;
  }

  /**
   * Claims a key; see `SendLedger.claimSend`.
   * @throws StoreFull when there is no room for a new record
   */
  claim(scope: Scope, key: string, { fingerprint, lease }: Claim): SendRecord | undefined {
    this.#dropExpired();
    const rowKey = keyInScope(scope, key);
    const now = this.#clock.now();
    const known = this.#rows.get(rowKey);
    if (known !== undefined) {
      const { record, node, heldUntil } = known;
      const isFree = node === lease.node || heldUntil <= now;
      if (record.outcome || record.fingerprint !== fingerprint || !isFree) return record;
    }
    const row = known ?? this.#add(scope, rowKey, { fingerprint, until: now + SEND_LIFETIME_MS });
    row.node = lease.node;
    row.heldUntil = now + lease.duration;
    return undefined;
  }

  /** Records the outcome of a send, unless it has one. If there is no room for it, the record is dropped. */
  settle(scope: Scope, key: string, outcome: SendOutcome): void {
    const row = this.#rows.get(keyInScope(scope, key));
    if (row === undefined || row.record.outcome !== undefined) return;
    const bytes = valueSize(outcome);
    if (this.#bytes.makeRoom(row.owner, bytes) !== undefined) {
      this.forget(row);
      return;
    }
    row.record = deepFreeze<SendRecord>({ ...row.record, outcome: structuredClone(outcome) });
    this.#bytes.grow(row, bytes);
    this.#bytes.allowEviction(row);
  }

  /** Drops the record of a send that failed, unless it has an outcome. */
  release(scope: Scope, key: string): void {
    const row = this.#rows.get(keyInScope(scope, key));
    if (row !== undefined && row.record.outcome === undefined) this.forget(row);
  }

  /** Drops the record of a send. */
  forget(row: Counted): void {
    if (!(row instanceof Row)) return;
    this.#rows.delete(row.rowKey);
    this.#bytes.remove(row);
  }

  clear(): void {
    this.#rows.clear();
  }

  #add(scope: Scope, rowKey: string, send: { fingerprint: string; until: number }): Row {
    const bytes = ROW + rowKey.length + valueSize(send.fingerprint);
    const owner = this.#bytes.ownerOf(scope.owner);
    const bound = this.#bytes.makeRoom(owner, bytes);
    if (bound !== undefined) throw new StoreFull(bound);
    const row = new Row(rowKey, owner, send);
    this.#bytes.grow(row, bytes);
    this.#rows.set(rowKey, row);
    this.#due = Math.min(this.#due, row.until);
    return row;
  }

  #dropExpired(): void {
    const now = this.#clock.now();
    if (now < this.#due) return;
    this.#due = Number.POSITIVE_INFINITY;
    for (const row of this.#rows.values()) {
      this.#due = row.until;
      if (row.until > now) return;
      this.forget(row);
    }
  }
}
