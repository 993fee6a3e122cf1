import type { Clock } from "../clock.js";
import type { Lease } from "../lease-store.js";
import type { SendOutcome, SendRecord } from "../send-ledger.js";
import type { Scope } from "../task-store.js";

/** Milliseconds for which a send is remembered. */
const LIFETIME = 24 * 60 * 60 * 1000;

/** Sends remembered at most; the oldest are forgotten first. */
const CAPACITY = 10_000;

interface Row extends SendRecord {
  /** When it is forgotten, in milliseconds since 1970. */
  readonly until: number;
  /** Who is at it while there is no outcome, and how long nobody else may. */
  readonly node: string;
  readonly heldUntil: number;
}

/** A send that is to be remembered. */
interface Claim {
  readonly fingerprint: string;
  readonly lease: Lease;
}

/** Sends by scope and key, oldest first. Nothing runs in the background: what is too old is dropped when others come. */
export class MemoryLedger {
  readonly #rows = new Map<string, Row>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  claim(scope: Scope, key: string, { fingerprint, lease }: Claim): SendRecord | undefined {
    this.#forget();
    const place = placeOf(scope, key);
    const now = this.#clock.now();
    const known = this.#rows.get(place);
    if (known !== undefined) {
      const isFree = known.node === lease.node || known.heldUntil <= now;
      if (known.outcome || known.fingerprint !== fingerprint || !isFree) return known;
    }
    const { node, duration } = lease;
    const until = known?.until ?? now + LIFETIME;
    this.#rows.set(place, { fingerprint, until, node, heldUntil: now + duration });
    return undefined;
  }

  settle(scope: Scope, key: string, outcome: SendOutcome): void {
    const place = placeOf(scope, key);
    const row = this.#rows.get(place);
    if (row !== undefined) this.#rows.set(place, { ...row, outcome });
  }

  release(scope: Scope, key: string): void {
    this.#rows.delete(placeOf(scope, key));
  }

  clear(): void {
    this.#rows.clear();
  }

  #forget(): void {
    const now = this.#clock.now();
    for (const [place, { until }] of this.#rows) {
      if (until > now && this.#rows.size < CAPACITY) return;
      this.#rows.delete(place);
    }
  }
}

function placeOf({ agent, tenant, owner }: Scope, key: string): string {
  return JSON.stringify([agent, tenant, owner, key]);
}
