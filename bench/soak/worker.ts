import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../random.js";
import { type Binding, Caller } from "./connection.js";
import { KEEP_SECONDS } from "./keep.js";
import { Ledger } from "./ledger.js";

/** Totals of all workers. */
export interface Tally {
  tasks: number;
  events: number;
  drops: number;
  cancels: number;
  followUps: number;
  subscribers: number;
  /** Streams that are open at the moment. */
  open: number;
  mostOpen: number;
  /** Tasks that were deleted on time, but before their caller was admitted. The machine is busy, so they are not judged. */
  late: number;
  readonly faults: string[];
}

const GONE = "TASK_NOT_FOUND";

/** Probability of each disturbance of a task. */
const [DROPPED, CANCELED, FOLLOWED_UP, WATCHED] = [0.3, 0.15, 0.2, 0.05];

/** A caller that runs one task after the other, and disturbs some of them. */
export class Worker {
  readonly #caller: Caller;
  readonly #random: Random;
  readonly #tally: Tally;

  constructor(port: number, binding: Binding, random: Random, tally: Tally) {
    this.#caller = new Caller(port, binding);
    this.#random = random;
    this.#tally = tally;
  }

  async run(until: number): Promise<void> {
    while (performance.now() < until) {
      try {
        await this.#task();
      } catch (error) {
        this.#tally.faults.push(`a task broke off: ${error}`);
        await sleep(100);
      }
    }
  }

  async #task(): Promise<void> {
    const random = this.#random;
    const message = this.#message();
    const ledger = new Ledger();
    const expected = new Map([[message.messageId, message.chunks]]);
    const reading = this.#read(ledger, "SendStreamingMessage", { message: message.value }).catch((error) => {
      ledger.faults.push(`task ${ledger.taskId}: its stream broke off: ${error}`);
    });
    const canceled = random.chance(CANCELED);
    const others: Promise<unknown>[] = [];
    if (random.chance(FOLLOWED_UP)) others.push(this.#followUp(ledger, expected));
    if (random.chance(WATCHED)) others.push(this.#watch(ledger));
    if (canceled) others.push(this.#cancel(ledger));
    await Promise.all([reading, ...others]);
    await this.#check(ledger, expected, canceled);
    this.#tally.tasks += 1;
    const isLate = ledger.age > KEEP_SECONDS * 1000;
    const faults = isLate ? ledger.faults.filter((text) => !text.includes(GONE)) : ledger.faults;
    if (faults.length < ledger.faults.length) this.#tally.late += 1;
    this.#tally.faults.push(...faults);
  }

  /** A message that asks for some numbers. */
  #message(taskId?: string) {
    const messageId = crypto.randomUUID();
    const chunks = 5 + this.#random.below(25);
    const text = JSON.stringify({ chunks, pause: 50 + this.#random.below(150) });
    const value = { messageId, role: "ROLE_USER", parts: [{ text }], ...(taskId && { taskId }) };
    return { messageId, chunks, value };
  }

  /** Reads a stream to the end of its task, over as many connections as it takes. */
  async #read(ledger: Ledger, operation: string, params: object): Promise<void> {
    let opened = await this.#caller.stream(operation, params);
    for (;;) {
      // The task ended while no reader was connected, with no event after those that were seen.
      if ("code" in opened) {
        if (opened.code !== "UNSUPPORTED_OPERATION") ledger.faults.push(`refused: ${opened.code}`);
        return;
      }
      await this.#follow(ledger, opened);
      if (ledger.ended || ledger.faults.length > 0) return;
      await sleep(this.#random.below(300));
      opened = await this.#caller.stream("SubscribeToTask", { id: ledger.taskId }, ledger.last);
    }
  }

  async #follow(
    ledger: Ledger,
    { events, cut }: { events: AsyncIterable<any>; cut: () => void },
  ): Promise<void> {
    const drop = this.#random.chance(DROPPED) ? 1 + this.#random.below(20) : Number.POSITIVE_INFINITY;
    let count = 0;
    this.#tally.open += 1;
    this.#tally.mostOpen = Math.max(this.#tally.mostOpen, this.#tally.open);
    try {
      for await (const event of events) {
        ledger.take(event);
        this.#tally.events += 1;
        count += 1;
        if (count >= drop && !ledger.ended) {
          this.#tally.drops += 1;
          cut();
          return;
        }
      }
      if (!ledger.ended) ledger.faults.push(`task ${ledger.taskId}: its stream ended before it did`);
    } finally {
      this.#tally.open -= 1;
    }
  }

  async #followUp(ledger: Ledger, expected: Map<string, number>): Promise<void> {
    await this.#begun(ledger);
    const message = this.#message(ledger.taskId);
    const params = { message: message.value, configuration: { returnImmediately: true } };
    const { code } = await this.#caller.call("SendMessage", params);
    if (code === undefined) {
      expected.set(message.messageId, message.chunks);
      this.#tally.followUps += 1;
    } else if (code !== "UNSUPPORTED_OPERATION") ledger.faults.push(`a follow-up got ${code}`);
  }

  async #cancel(ledger: Ledger): Promise<void> {
    await this.#begun(ledger);
    const { code } = await this.#caller.call("CancelTask", { id: ledger.taskId });
    if (code === undefined) this.#tally.cancels += 1;
    else if (code !== "TASK_NOT_CANCELABLE") ledger.faults.push(`a cancel got ${code}`);
  }

  /** A second reader of the same task. */
  async #watch(first: Ledger): Promise<void> {
    await this.#begun(first);
    const ledger = new Ledger();
    await this.#read(ledger, "SubscribeToTask", { id: first.taskId });
    this.#tally.subscribers += 1;
    first.faults.push(...ledger.faults);
  }

  /** Waits until the task exists, and a little longer. */
  async #begun(ledger: Ledger): Promise<void> {
    while (ledger.taskId === "" && ledger.faults.length === 0) await sleep(5);
    await sleep(this.#random.below(1500));
  }

  /** Compares the events that were seen with the stored task. */
  async #check(ledger: Ledger, expected: ReadonlyMap<string, number>, canceled: boolean): Promise<void> {
    const { result, code } = await this.#caller.call("GetTask", { id: ledger.taskId });
    if (code !== undefined) return void ledger.faults.push(`the task could not be read: ${code}`);
    const { state } = result.status;
    if (ledger.ended && state !== ledger.state)
      ledger.faults.push(`${ledger.state} was seen, it is ${state}`);
    if (!canceled && state !== "TASK_STATE_COMPLETED")
      ledger.faults.push(`task ${ledger.taskId} is ${state}`);
    const heard = result.history.map(({ messageId }: { messageId: string }) => messageId);
    for (const [messageId, chunks] of expected) {
      if (!heard.includes(messageId)) ledger.faults.push(`message ${messageId} is not in the history`);
      const seen = ledger.countOf(messageId);
      if (state === "TASK_STATE_COMPLETED" && seen !== chunks && ledger.ended) {
        ledger.faults.push(`task ${ledger.taskId}: ${seen} numbers of ${chunks} seen`);
      }
    }
  }
}
