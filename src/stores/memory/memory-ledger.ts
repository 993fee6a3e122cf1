import type { Clock } from "../clock.js";
import type { SendOutcome, SendRecord } from "../send-ledger.js";
import type { Scope } from "../task-store.js";

/** Milliseconds for which a send is remembered. */
const LIFETIME = 24 * 60 * 60 * 1000;

/** Sends remembered at most; the oldest are forgotten first. */
const CAPACITY = 10_000;

interface Row extends SendRecord {
  readonly until: number;
}

/** Sends by scope and key, oldest first. Nothing runs in the background: what is too old is dropped when others come. */
export class MemoryLedger {
  readonly #rows = new Map<string, Row>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  claim(scope: Scope, key: string, fingerprint: string): SendRecord | undefined {
    this.#forget();
    const place = placeOf(scope, key);
    const known = this.#rows.get(place);
    if (known !== undefined) return known;
    this.#rows.set(place, { fingerprint, until: this.#clock.now() + LIFETIME });
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
