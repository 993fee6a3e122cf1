import { Ticker } from "../../async/ticker.js";
import { FairQueue } from "../../collections/fair-queue.js";
import { A2AError } from "../../protocol/errors.js";
import type { Limits } from "../limits.js";
import { jsonSize } from "./json-size.js";
import { type Recipient, UnsentBytes } from "./unsent-bytes.js";

/** Something that waits for its turn, or for room. */
interface Waiting {
  readonly to: Recipient;
  /** Bytes of the turn that it takes up. */
  readonly size: number;
  /** Ticks after which it is refused. */
  left: number;
  readonly admit: () => void;
  readonly refuse: (error: A2AError) => void;
}

/** Bytes up to which an answer is neither counted nor made to wait: a connection has one at a time. */
const SMALL = 16 * 1024;
/** Bytes that are written as JSON in one turn of the event loop; the answer that passes this ends the turn. */
const TURN = 1024 * 1024;
/** Ticks in `writeTime`, and those for which an answer waits: stalled readers that came before it are cut first. */
const TICKS = 4;
const PATIENCE = 2.5 * TICKS;

/**
 * Decides when the next answer or stream event may be written as JSON.
 *
 * It may while what is unsent is below the bounds. So what is unsent exceeds a bound by one answer at most, and an answer that is
 * larger than a bound is sent when nothing else is unsent. One large answer is written in a turn of the event loop, and callers
 * take turns. Small answers pass whatever is unsent: the connection most likely takes them at once.
 */
export class Outgoing {
  readonly #unsent: UnsentBytes;
  /** Bytes below which there is room for any answer. */
  readonly #ample: number;
  /** Bytes written in this turn of the event loop. */
  #spent = 0;
  /** What waits for a later turn. */
  readonly #turns = new FairQueue<Waiting>();
  /** What waits until less is unsent. */
  readonly #rooms = new FairQueue<Waiting>();
  /** Whether those that wait for room go first: the two take turns. */
  #roomsFirst = false;
  /** Recipients whose turn it is. */
  readonly #having = new WeakSet<Recipient>();
  readonly #ticker: Ticker;

  constructor(bounds: Pick<Required<Limits>, "unsent" | "unsentPerPrincipal" | "writeTime">) {
    this.#unsent = new UnsentBytes(bounds, () => this.#goOn());
    this.#ample = Math.min(bounds.unsent, bounds.unsentPerPrincipal) / 4;
    this.#ticker = new Ticker((bounds.writeTime * 1000) / TICKS, () => this.#tick());
  }

  /** Bytes that wait to be sent, small answers left out. */
  get unsent(): number {
    return this.#unsent.total;
  }

  /** Answers and events that wait to be written. */
  get waiting(): number {
    return this.#rooms.size + this.#turns.size;
  }

  /**
   * Asks whether an operation that reads may be carried out. Whether its answer is large is known only then.
   * @returns undefined when it may now, as nearly always; else a promise for when it may
   */
  turn(to: Recipient): Promise<void> | undefined {
    if (this.#spent < TURN && (this.#turns.size === 0 || !this.#turns.has(to.caller))) return undefined;
    if (to.unsent > 0) return undefined;
    return this.#wait(this.#turns, { to, size: TURN, admit: () => this.#having.add(to) });
  }

  /**
   * Asks whether the answer of an operation may be written.
   *
   * @param repeatable the operation only reads: while it waits its answer need not be kept, and after that it is asked again
   * @returns undefined when it may be written now; else a promise for when it may
   * @throws A2AError RATE_LIMITED or UNAVAILABLE when it would have to be kept and too much is. The promise rejects with the
   *   same when an answer has waited for too long
   */
  enter(to: Recipient, answer: unknown, repeatable: boolean): Promise<void> | undefined {
    if (!this.#concerns(to, answer)) return undefined;
    const size = jsonSize(answer);
    if (repeatable) return this.#room(to, size, PATIENCE);
    const fault = this.#unsent.fault(to.caller, 2);
    if (fault !== undefined) throw fault;
    this.#unsent.set(to, size);
    return this.#spent < TURN ? this.#spend(size) : this.#wait(this.#turns, { to, size });
  }

  /** Asks whether an event of a stream may be written. An event waits as long as it must: its log keeps it. */
  next(to: Recipient, event: unknown): Promise<void> | undefined {
    return this.#concerns(to, event) ? this.#room(to, jsonSize(event)) : undefined;
  }

  /** Resolves when so many bytes more of an answer may be written, in this turn of the event loop or a later one. */
  goOn(to: Recipient, bytes: number): Promise<void> {
    const turn = this.#wait(this.#turns, { to, size: bytes });
    if (this.#spent === 0) setImmediate(this.#nextTurn);
    return turn;
  }

  /** Counts what was written for a recipient, until {@link Outgoing.sent} or until its connection is done with it. */
  wrote(to: Recipient, bytes: number): void {
    if (to.unsent === 0) {
      if (bytes <= SMALL) return;
      this.#spend(bytes);
    }
    this.#unsent.set(to, bytes);
  }

  /** The connection has taken all that was written for a recipient. */
  sent(to: Recipient): void {
    if (to.unsent > 0) this.#unsent.set(to, 0);
  }

  /** Refuses all that waits, as the server stops. */
  close(): void {
    this.#ticker.stop();
    for (const { refuse } of [...this.#turns, ...this.#rooms]) refuse(new A2AError("UNAVAILABLE"));
  }

  /**
   * Whether a value needs room that it has not got yet. Values are measured only when room is short: what is written is counted
   * at once, so that while there is ample room one answer more cannot pass a bound by more than itself.
   */
  #concerns(to: Recipient, value: unknown): boolean {
    return !this.#isAmple && to.unsent === 0 && jsonSize(value, SMALL) >= SMALL;
  }

  /** Less is unsent than a quarter of what one caller may have, and nothing waits. */
  get #isAmple(): boolean {
    return this.#unsent.total < this.#ample && this.#spent < TURN && this.waiting === 0;
  }

  #room(to: Recipient, size: number, left?: number): Promise<void> | undefined {
    const admit = () => this.#unsent.set(to, size);
    const isTurn = this.#having.delete(to) || this.#spent < TURN;
    if (!isTurn || !this.#unsent.hasRoom(to.caller))
      return this.#wait(this.#rooms, { to, size, left, admit });
    admit();
    return this.#spend(size);
  }

  #spend(bytes: number): undefined {
    if (this.#spent === 0) setImmediate(this.#nextTurn);
    this.#spent += bytes;
  }

  readonly #nextTurn = (): void => {
    this.#spent = 0;
    this.#goOn();
  };

  #goOn(): void {
    while (this.#spent < TURN && this.waiting > 0) {
      const next = this.#next();
      if (next === undefined) return;
      this.#spend(next.size);
      next.admit();
    }
  }

  #next(): Waiting | undefined {
    const rooms = () => this.#rooms.take((caller) => this.#unsent.hasRoom(caller));
    const turns = () => this.#turns.take(() => true);
    this.#roomsFirst = !this.#roomsFirst;
    return this.#roomsFirst ? (rooms() ?? turns()) : (turns() ?? rooms());
  }

  #wait(queue: FairQueue<Waiting>, { to, size, left = Infinity, admit }: Wish): Promise<void> {
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
interface Wish extends Pick<Waiting, "to" | "size"> {
  readonly left?: number | undefined;
  /** Called when it may go on. */
  readonly admit?: () => void;
}
