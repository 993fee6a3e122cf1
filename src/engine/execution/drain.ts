import { setImmediate } from "node:timers/promises";
import type { Reply, Update } from "../../agent/updates.js";

/** After how many updates in a row the executor lets the event loop turn, so that readers see them as they come. */
const TURN = 64;

/** Where updates go. */
export interface Sink {
  /** Nothing more is of use. */
  isOver(): boolean;
  /** An update came after that. */
  dropped(): void;
  /** @throws UpdateRefused */
  admit(update: Update): void;
  /** Resolves when there is room for more; undefined when there is. */
  room(): Promise<void> | undefined;
}

/** Takes what an executor yields, to its end or until it is of no use any more. */
export async function drain(updates: AsyncIterable<Update>, sink: Sink): Promise<Reply | undefined> {
  const iterator: AsyncIterator<Update, Reply | undefined> = updates[Symbol.asyncIterator]();
  let count = 0;
  let step = await iterator.next();
  while (!step.done) {
    if (sink.isOver()) {
      sink.dropped();
      await iterator.return?.();
      return undefined;
    }
    step = await moveOn(iterator, step.value, sink);
    const room = sink.room();
    if (room !== undefined) await room;
    count += 1;
    if (count % TURN === 0) await setImmediate();
  }
  return step.value ?? undefined;
}

/** Admits one update and moves the executor on; a refusal is thrown at the yield that caused it. */
function moveOn(iterator: AsyncIterator<Update, Reply | undefined>, update: Update, sink: Sink) {
  try {
    sink.admit(update);
  } catch (error) {
    if (iterator.throw === undefined) throw error;
    return iterator.throw(error);
  }
  return iterator.next();
}
