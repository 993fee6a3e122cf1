import { Ticker } from "../../async/ticker.js";
import { turns } from "../../async/turns.js";
import { FairQueue } from "../../collections/fair-queue.js";
import type { Complete } from "../../json/omit.js";
import { A2AError } from "../../protocol/errors.js";
import type { Limits } from "../limits.js";
import { jsonSize } from "./json-size.js";
import { type Recipient, UnsentBytes } from "./unsent-bytes.js";

/** An operation, response or event that waits for a turn of the event loop, or until less is unsent. */
interface Waiting {
  readonly to: Recipient;
  /** Bytes that it takes of the budget of a turn. */
  readonly size: number;
  /** Number of ticks after which it is refused. */
  left: number;
  readonly admit: () => void;
  readonly refuse: (error: A2AError) => void;
}

/** Maximum bytes of a response that is neither counted nor delayed: a connection has one response at a time. */
export const SMALL = 16 * 1024;
/** Minimum bytes of a response that counts as work of the turn although it did not wait. Less takes no longer than its request. */
const WORK = 64 * 1024;
/** Bytes that a read counts for before its response is known: the budget of one turn of the event loop. */
const READING = 1024 * 1024;
/** The key under which responses wait for turns. Each owner of tasks has a key; responses share one and are queued here by caller. */
const ANSWERS = "answers";
/** Number of ticks in `writeTime`. */
const TICKS = 4;
/** Number of ticks after which a waiting response is refused. Connections of stalled readers are closed before that. */
const MAX_WAIT = 2.5 * TICKS;

/**
 * Decides when the next response or stream event may be written as JSON.
 *
 * It may be written while the unsent bytes are below the limits. So the results of reads and the events exceed a limit by one at most, and
 * one that is larger than a limit can be sent. Results of other operations may exceed it further, see {@link Outgoing.enter}. A turn of the
 * event loop writes large responses up to its budget, and callers take turns. Small responses do not wait to be written, because
 * connections most likely accept them at once.
 */
export class Outgoing {
  readonly #unsent: UnsentBytes;
  /** Unsent bytes below which a response need not be measured. */
  readonly #ample: number;
  /** Waits for a later turn. */
  readonly #turns = new FairQueue<Waiting>();
  /** Waits until less is unsent. */
  readonly #rooms = new FairQueue<Waiting>();
  /** Whether a later turn of the event loop was requested. */
  #isPlanned = false;
  /** Whether `#rooms` was served first the last time: the two queues alternate. */
  #roomsFirst = false;
  /** The number of the turn in which a recipient was last admitted. */
  readonly #given = new WeakMap<Recipient, number>();
  readonly #ticker: Ticker;

  constructor(bounds: Pick<Complete<Limits>, "unsent" | "unsentPerPrincipal" | "writeTime">) {
    this.#unsent = new UnsentBytes(bounds, () => this.#admit());
    this.#ample = Math.min(bounds.unsent, bounds.unsentPerPrincipal) / 4;
    this.#ticker = new Ticker((bounds.writeTime * 1000) / TICKS, () => this.#tick());
  }

  /** Number of unsent bytes, without those of small responses. */
  get unsent(): number {
    return this.#unsent.total;
  }

  /** Number of operations, responses and events that wait. */
  get waiting(): number {
    return this.#rooms.size + this.#turns.size;
  }

  /**
   * Asks whether an operation that only reads may run. The size of its response is not known before.
   * @returns undefined if it may run now, as nearly always; otherwise a promise that resolves when it may
   */
  turn(to: Recipient): Promise<void> | undefined {
    if (!turns.isOver && (this.#turns.size === 0 || !this.#turns.has(to.caller))) return undefined;
    if (to.unsent > 0) return undefined;
    return this.#wait(this.#turns, { to, size: READING, admit: () => this.#given.set(to, turns.count) });
  }

  /**
   * Asks whether the response of an operation may be written.
   *
   * @param repeatable whether the operation only reads. If its response has to wait, the response is dropped and the operation repeated
   * @returns undefined if it may be written now; otherwise a promise that resolves when it may, and rejects with RATE_LIMITED or
   *   UNAVAILABLE when a repeatable one has waited for 2.5 times `writeTime`
   * @throws A2AError RATE_LIMITED or UNAVAILABLE when a response that cannot be repeated finds twice the limit of its caller, or
   *   `unsentPerPrincipal` above the limit of all callers
   */
  enter(to: Recipient, answer: unknown, repeatable: boolean): Promise<void> | undefined {
    if (to.unsent > 0)
      return this.#hasTurnNow(to) ? undefined : this.#wait(this.#turns, { to, size: to.unsent });
    if (!this.#concerns(to, answer)) return undefined;
    const size = jsonSize(answer);
    if (repeatable) return this.#room(to, size, MAX_WAIT);
    const fault = this.#unsent.fault(to.caller, 2);
    if (fault !== undefined) throw fault;
    this.#unsent.set(to, size);
    if (turns.isOver) return this.#wait(this.#turns, { to, size });
    turns.spend(size);
    return undefined;
  }

  /** Asks whether an event of a stream may be written. An event waits without a limit, because the log of its task keeps it. */
  next(to: Recipient, event: unknown): Promise<void> | undefined {
    return this.#concerns(to, event) ? this.#room(to, jsonSize(event)) : undefined;
  }

  /** Resolves when this number of further bytes of a response may be written, in this turn of the event loop or a later one. */
  goOn(to: Recipient, bytes: number): Promise<void> {
    return this.#wait(this.#turns, { to, size: bytes });
  }

  /** Counts written bytes as unsent until {@link Outgoing.sent} is called or the connection closes. */
  wrote(to: Recipient, bytes: number): void {
    if (to.unsent === 0) {
      if (bytes <= SMALL) return;
      if (bytes >= WORK) turns.spend(bytes);
    }
    this.#unsent.set(to, bytes);
  }

  /** Called when the connection has accepted all bytes of a recipient. */
  sent(to: Recipient): void {
    if (to.unsent > 0) this.#unsent.set(to, 0);
  }

  /** Refuses all that wait with UNAVAILABLE, because the server stops. */
  close(): void {
    this.#ticker.stop();
    for (const { refuse } of [...this.#turns, ...this.#rooms]) refuse(new A2AError("UNAVAILABLE"));
  }

  /**
   * Whether a value is large and not admitted yet. Values are not measured while `#isAmple`: written bytes are counted at once, so with few
   * unsent bytes a further response cannot exceed a limit by more than its own size.
   */
  #concerns(to: Recipient, value: unknown): boolean {
    return !this.#isAmple && to.unsent === 0 && jsonSize(value, SMALL) >= SMALL;
  }

  /** Whether less than a quarter of the smaller limit is unsent, the turn has budget left, and nothing waits. */
  get #isAmple(): boolean {
    return this.#unsent.total < this.#ample && !turns.isOver && this.waiting === 0;
  }

  #room(to: Recipient, size: number, left?: number): Promise<void> | undefined {
    const admit = () => {
      this.#unsent.set(to, size);
      this.#given.set(to, turns.count);
    };
    if (!this.#hasTurnNow(to) || !this.#unsent.hasRoom(to.caller))
      return this.#wait(this.#rooms, { to, size, left, admit });
    admit();
    turns.spend(size);
    return undefined;
  }

  #hasTurnNow(to: Recipient): boolean {
    return !turns.isOver || this.#given.get(to) === turns.count;
  }

  /** Requests a later turn. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    turns.wait(ANSWERS, this.#hasTurn);
  }

  readonly #hasTurn = (): void => {
    this.#isPlanned = false;
    this.#admit();
  };

  /** Admits as much as the budget of this turn allows. */
  #admit(): void {
    while (!turns.isOver) {
      const next = this.#next();
      if (next === undefined) return;
      turns.spend(next.size);
      next.admit();
    }
    if (this.waiting > 0) this.#plan();
  }

  #next(): Waiting | undefined {
    const rooms = () => this.#rooms.take((caller) => this.#unsent.hasRoom(caller));
    const turns = () => this.#turns.take(() => true);
    this.#roomsFirst = !this.#roomsFirst;
    return this.#roomsFirst ? (rooms() ?? turns()) : (turns() ?? rooms());
  }

  #wait(queue: FairQueue<Waiting>, { to, size, left = Infinity, admit }: AdmissionOptions): Promise<void> {
    return new Promise((resolve, reject) => {
      const { caller, connection } = to;
      const done = () => {
        connection.off("close", gone);
        queue.delete(caller, waiting);
      };
      const refuse = (error: A2AError) => {
        done();
        reject(error);
      };
      const gone = () => refuse(new A2AError("UNAVAILABLE", "The caller has left"));
      const admitted = () => {
        done();
        admit?.();
        resolve();
      };
      const waiting: Waiting = { to, size, left, admit: admitted, refuse };
      if (connection.closed) return gone();
      connection.once("close", gone);
      queue.add(caller, waiting);
      this.#plan();
      this.#ticker.start();
    });
  }

  #tick(): boolean {
    for (const waiting of [...this.#rooms]) {
      waiting.left -= 1;
      const fault = () => this.#unsent.fault(waiting.to.caller, 1) ?? new A2AError("UNAVAILABLE");
      if (waiting.left <= 0) waiting.refuse(fault());
    }
    return this.waiting > 0;
  }
}

/** A request for permission to send. */
interface AdmissionOptions extends Pick<Waiting, "to" | "size"> {
  readonly left?: number | undefined;
  /** Called when it is admitted. */
  readonly admit?: () => void;
}
