import type { ServerResponse } from "node:http";
import { A2AError } from "../errors.js";
import { FairQueue } from "./fair-queue.js";
import { jsonSize } from "./json-size.js";
import type { Limits } from "./limits.js";
import { Ticker } from "./ticker.js";

/** The answer to one request, and how much of it waits to be sent. */
export interface Recipient {
  /** Tells callers apart. */
  readonly caller: string;
  readonly res: ServerResponse;
  /** Bytes that are counted for it. Only {@link Outgoing} changes it. */
  unsent: number;
}

/** An answer that waits to be written. */
interface Waiting {
  readonly to: Recipient;
  readonly size: number;
  /** Ticks after which it is refused. */
  left: number;
  readonly admit: () => void;
  readonly refuse: (error: A2AError) => void;
}

type Bounds = Pick<Required<Limits>, "unsent" | "unsentPerPrincipal" | "writeTime">;

/** Bytes up to which an answer is neither counted nor made to wait: a connection has one at a time. */
const SMALL = 16 * 1024;
/** Bytes that are written as JSON in one turn of the event loop; the answer that passes this ends the turn. */
const TURN = 1024 * 1024;
/** Ticks in `writeTime`, and those for which an answer waits. Stalled readers before it are cut first. */
const TICKS = 4;
const PATIENCE = 2.5 * TICKS;
/** Seconds after which a caller that was refused may try again. */
const RETRY_SECONDS = 5;

/**
 * Counts the bytes of answers and stream events that wait to be sent, for each caller and in all, and decides when the next one
 * may be written as JSON. An answer is written while what waits is below the bounds, so what waits exceeds a bound by one answer
 * at most, and an answer that is larger than a bound is sent when nothing else waits. Callers take turns. Small answers pass:
 * the connection most likely takes them at once.
 */
export class Outgoing {
  readonly #bounds: Bounds;
  readonly #callers = new Map<string, number>();
  #total = 0;
  /** Bytes written in this turn of the event loop. */
  #spent = 0;
  /** Recipients whose connections are listened to. */
  readonly #known = new WeakSet<Recipient>();
  /** What waits for a later turn. */
  readonly #turns = new FairQueue<Waiting>();
  /** What waits until less is unsent. */
  readonly #rooms = new FairQueue<Waiting>();
  readonly #ticker: Ticker;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
    this.#ticker = new Ticker((bounds.writeTime * 1000) / TICKS, () => this.#tick());
  }

  /** Bytes that wait to be sent, small answers left out. */
  get unsent(): number {
    return this.#total;
  }

  /** Answers and events that wait to be written. */
  get waiting(): number {
    return this.#rooms.size + this.#turns.size;
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
    const fault = this.#fault(to.caller, 2);
    if (fault !== undefined) throw fault;
    this.#add(to, size);
    return this.#spent < TURN ? this.#spend(size) : this.#wait(this.#turns, to, size);
  }

  /** Asks whether an event of a stream may be written. An event waits as long as it must: its log keeps it. */
  next(to: Recipient, event: unknown): Promise<void> | undefined {
    return this.#concerns(to, event) ? this.#room(to, jsonSize(event)) : undefined;
  }

  /** Asks whether the next part of an answer may be written whose size is not known before. */
  part(to: Recipient): Promise<void> | undefined {
    return this.#isCalm ? undefined : this.#room(to, TURN);
  }

  /** Counts what was written for a recipient, until {@link Outgoing.sent} or until its connection is done with it. */
  wrote(to: Recipient, bytes: number): void {
    const before = to.unsent;
    if (bytes <= SMALL && before === 0) return;
    if (before === 0) this.#spend(bytes);
    this.#add(to, bytes - before);
    if (bytes < before) this.#goOn();
  }

  /** The connection has taken all that was written for a recipient. */
  sent(to: Recipient): void {
    if (to.unsent === 0) return;
    this.#add(to, -to.unsent);
    this.#goOn();
  }

  /** Refuses all that waits, as the server stops. */
  close(): void {
    this.#ticker.stop();
    for (const [, { refuse }] of [...this.#turns, ...this.#rooms]) refuse(new A2AError("UNAVAILABLE"));
  }

  get #isCalm(): boolean {
    return this.#total === 0 && this.#spent < TURN && this.waiting === 0;
  }

  /** Whether a value needs room that it has not got yet. Nothing is looked at while nothing is unsent. */
  #concerns(to: Recipient, value: unknown): boolean {
    return !this.#isCalm && to.unsent === 0 && jsonSize(value, SMALL) >= SMALL;
  }

  #room(to: Recipient, size: number, patience = Number.POSITIVE_INFINITY): Promise<void> | undefined {
    const { caller } = to;
    if (this.#spent >= TURN || !this.#hasRoom(caller)) return this.#wait(this.#rooms, to, size, patience);
    this.#add(to, size);
    return this.#spend(size);
  }

  readonly #hasRoom = (caller: string): boolean => this.#fault(caller) === undefined;

  /** @param share of its bounds that a caller may use */
  #fault(caller: string, share = 1): A2AError | undefined {
    const { unsent: total, unsentPerPrincipal: each } = this.#bounds;
    const retry = { retryAfter: RETRY_SECONDS };
    if ((this.#callers.get(caller) ?? 0) >= each * share) {
      const held = `${each * share} bytes of answers for this caller are unread, as many as may be`;
      return new A2AError("RATE_LIMITED", `${held}: read them, or close their connections`, retry);
    }
    if (this.#total < total + each * (share - 1)) return undefined;
    return new A2AError("UNAVAILABLE", "Too many bytes of answers are unread", retry);
  }

  #add(to: Recipient, bytes: number): void {
    const { caller, res } = to;
    if (res.closed && bytes > 0) return;
    if (!this.#known.has(to)) {
      this.#known.add(to);
      res.once("close", () => this.sent(to));
    }
    const held = (this.#callers.get(caller) ?? 0) + bytes;
    if (held > 0) this.#callers.set(caller, held);
    else this.#callers.delete(caller);
    this.#total += bytes;
    to.unsent += bytes;
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
      const next = this.#turns.take(() => true) ?? this.#rooms.take(this.#hasRoom);
      if (next === undefined) return;
      if (next.to.unsent === 0) this.#add(next.to, next.size);
      this.#spend(next.size);
      next.admit();
    }
  }

  #wait(queue: FairQueue<Waiting>, to: Recipient, size: number, left = Infinity): Promise<void> {
    return new Promise((resolve, reject) => {
      const { caller, res } = to;
      const done = () => {
        res.off("close", gone);
        queue.delete(caller, waiting);
      };
      const refuse = (error: A2AError) => {
        done();
        reject(error);
      };
      const gone = () => refuse(new A2AError("UNAVAILABLE", "The caller has left"));
      const admit = () => {
        done();
        resolve();
      };
      const waiting: Waiting = { to, size, left, admit, refuse };
      if (res.closed) return gone();
      res.once("close", gone);
      queue.add(caller, waiting);
      this.#ticker.start();
    });
  }

  #tick(): boolean {
    for (const [caller, waiting] of [...this.#rooms]) {
      waiting.left -= 1;
      if (waiting.left <= 0) waiting.refuse(this.#fault(caller) ?? new A2AError("UNAVAILABLE"));
    }
    return this.waiting > 0;
  }
}
