import { randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { InspectorEvent } from "./events.js";
import { type PageFrame, type Piece, writeFrame } from "./frames.js";

/** Calls and runs that a page may have open. */
const MAX_WORK = 128;
/** Bytes of events that wait for a page before it is given up. */
const MAX_WAITING = 64 * 1024 * 1024;

/** A page that is open, and all that it has asked for. */
export class OpenPage {
  readonly id = randomUUID();
  readonly #res: ServerResponse;
  readonly #work = new Map<number, AbortController>();
  #drained: Promise<void> | undefined;
  #drain: () => void = () => undefined;

  /**
   * @param res the answer to which events are written
   * @param onClosed called when the page has gone, after its work was aborted
   */
  constructor(res: ServerResponse, onClosed: (page: OpenPage) => void) {
    this.#res = res;
    res.on("drain", () => this.#proceed());
    res.on("close", () => {
      for (const stop of this.#work.values()) stop.abort();
      this.#proceed();
      onClosed(this);
    });
    this.send({ type: "opened", page: this.id });
  }

  /** Sends an event. A page that does not read is given up. */
  send(event: InspectorEvent): void {
    this.#write({ event });
    if (this.#res.writableLength > MAX_WAITING) this.#res.destroy();
  }

  /** Sends a piece of a body. Waits while the page has not taken the ones before it. */
  async sendPiece(piece: Piece): Promise<void> {
    if (!this.#write({ piece })) {
      this.#drained ??= new Promise((resolve) => {
        this.#drain = resolve;
      });
    }
    await this.#drained;
  }

  /**
   * Starts a call or a run.
   * @param work is aborted by {@link abort}, and when the page is closed
   * @returns false when the page has too much work already, or work with this number
   */
  start(id: number, work: (signal: AbortSignal) => Promise<void>): boolean {
    if (this.#work.has(id) || this.#work.size >= MAX_WORK) return false;
    const stop = new AbortController();
    this.#work.set(id, stop);
    void work(stop.signal).finally(() => this.#work.delete(id));
    return true;
  }

  /** Ends a call or a run, if it is still open. */
  abort(id: number): void {
    this.#work.get(id)?.abort();
  }

  /** Ends the connection of the page. */
  close(): void {
    this.#res.destroy();
  }

  /** @returns whether the page takes more at once */
  #write(frame: PageFrame): boolean {
    return this.#res.destroyed || this.#res.write(writeFrame(frame));
  }

  #proceed(): void {
    this.#drained = undefined;
    this.#drain();
  }
}
