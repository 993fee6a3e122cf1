import { Ticker } from "../../async/ticker.js";
import { turns } from "../../async/turns.js";
import { FairQueue } from "../../collections/fair-queue.js";
import type { Complete } from "../../json/omit.js";
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
/** Bytes from which writing an answer that has not waited counts as work of its turn: less takes no longer than the request for it. */
const WORK = 64 * 1024;
/** Bytes that a reading operation whose answer is not known yet counts for: as many as one turn of the event loop has. */
const READING = 1024 * 1024;
/** The name under which answers wait for turns. Owners of tasks have a turn each; answers have their own queues by caller. */
const ANSWERS = "answers";
/** Ticks in `writeTime`, and those for which an answer waits: stalled readers that came before it are cut first. */
const TICKS = 4;
const MAX_WAIT = 2.5 * TICKS;

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
  /** What waits for a later turn. */
  readonly #turns = new FairQueue<Waiting>();
  /** What waits until less is unsent. */
  readonly #rooms = new FairQueue<Waiting>();
  /** Whether a later turn of the event loop is asked for. */
  #isPlanned = false;
  /** Whether those that wait for room go first: the two take turns. */
  #roomsFirst = false;
  /** The turns that recipients were given. */
  readonly #given = new WeakMap<Recipient, number>();
  readonly #ticker: Ticker;

  constructor(bounds: Pick<Complete<Limits>, "unsent" | "unsentPerPrincipal" | "writeTime">) {
    this.#unsent = new UnsentBytes(bounds, () => this.#admit());
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
    if (!turns.isOver && (this.#turns.size === 0 || !this.#turns.has(to.caller))) return undefined;
    if (to.unsent > 0) return undefined;
    return this.#wait(this.#turns, { to, size: READING, admit: () => this.#given.set(to, turns.count) });
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

  /** Asks whether an event of a stream may be written. An event waits as long as it must: its log keeps it. */
  next(to: Recipient, event: unknown): Promise<void> | undefined {
    return this.#concerns(to, event) ? this.#room(to, jsonSize(event)) : undefined;
  }

  /** Resolves when so many bytes more of an answer may be written, in this turn of the event loop or a later one. */
  goOn(to: Recipient, bytes: number): Promise<void> {
    return this.#wait(this.#turns, { to, size: bytes });
  }

  /** Counts what was written for a recipient, until {@link Outgoing.sent} or until its connection is done with it. */
  wrote(to: Recipient, bytes: number): void {
    if (to.unsent === 0) {
      if (bytes <= SMALL) return;
      if (bytes >= WORK) turns.spend(bytes);
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

  /** Asks for a later turn. */
  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    turns.wait(ANSWERS, this.#hasTurn);
  }

  readonly #hasTurn = (): void => {
    this.#isPlanned = false;
    this.#admit();
  };

  /** Admits what this turn has room for. */
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
interface Wish extends Pick<Waiting, "to" | "size"> {
  readonly left?: number | undefined;
  /** Called when it may go on. */
  readonly admit?: () => void;
}
