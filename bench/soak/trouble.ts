import { setTimeout as sleep } from "node:timers/promises";
import { type Held, SmallHeapServer } from "../../test/support/small-heap.js";
import { Random } from "../random.js";
import { hooks } from "./failing-hooks.js";
import { databases } from "./silent-databases.js";
import { readers } from "./stopped-readers.js";
import { receivers } from "./webhooks.js";

const MIB = 1024 * 1024;
/** Seconds that a server has to release everything, and to answer a plain call again. */
const SETTLE_SECONDS = 40;
/** Maximum time of a plain call on a machine under load, in milliseconds. */
const SLOW_MS = 20_000;
const [CHECK_MS, SAMPLE_MS, WARM_SECONDS] = [200, 2000, 4];

/** A server with 256 MiB of old space, and what is done to it. */
export interface Scene {
  /** Causes the trouble once, and resolves when it is over. Many run at the same time. */
  make(random: Random): Promise<void>;
  /** A plain call, which must always be answered. */
  check(): Promise<boolean>;
  close?(): Promise<void> | void;
}

/** A class of trouble. */
export interface Trouble {
  readonly name: string;
  /** Why this machine cannot run it. */
  readonly obstacle?: string;
  /** Program that serves, below the root. */
  readonly program: string;
  args?(random: Random): string[] | Promise<string[]>;
  /** How many run at the same time. */
  readonly concurrency: number;
  /** Maximum growth of heap and buffers in bytes, while it lasts and when it is over. */
  readonly ceiling: { readonly during: number; readonly after: number };
  /** Whether plain calls may fail while it lasts. */
  readonly isOutage?: boolean;
  open(server: SmallHeapServer): Promise<Scene>;
}

const troubles: readonly Trouble[] = [receivers, readers, hooks, databases];

/** Causes each class of trouble for some seconds. Returns a line about each. */
export async function makeTrouble(
  seconds: number,
  seed: number,
  note: (fault: string) => void,
): Promise<string[]> {
  const lines: string[] = [];
  for (const trouble of troubles) {
    if (trouble.obstacle !== undefined) lines.push(`${trouble.name}: skipped, ${trouble.obstacle}`);
    else
      lines.push(await play(trouble, seconds, new Random(seed), (text) => note(`${trouble.name}: ${text}`)));
  }
  return lines;
}

async function play(trouble: Trouble, seconds: number, random: Random, note: (fault: string) => void) {
  const server = await SmallHeapServer.start(trouble.program, ...((await trouble.args?.(random)) ?? []));
  let scene: Scene | undefined;
  let made = 0;
  let calls = 0;
  let slowest = 0;
  let most = 0;
  try {
    const playing = await trouble.open(server);
    scene = playing;
    const make = async (until: number) => {
      while (performance.now() < until && server.death === undefined) {
        await playing.make(random);
        made += 1;
      }
    };
    const all = (until: number) =>
      Promise.all(Array.from({ length: trouble.concurrency }, () => make(until)));
    // Modules that are loaded on first use do not count.
    await all(performance.now() + WARM_SECONDS * 1000);
    const before = bytesOf(await server.held());
    const grown = async () => bytesOf(await server.held()) - before;
    const until = performance.now() + seconds * 1000;
    const checking = async () => {
      while (performance.now() < until) {
        const begin = performance.now();
        const isAnswered = await playing.check().catch(() => false);
        const time = performance.now() - begin;
        calls += 1;
        slowest = Math.max(slowest, time);
        if (!trouble.isOutage && !isAnswered) note("a plain call failed");
        if (!trouble.isOutage && time > SLOW_MS) note(`a plain call took ${Math.round(time)} ms`);
        await sleep(CHECK_MS);
      }
    };
    const sampling = async () => {
      while (performance.now() < until) {
        await sleep(SAMPLE_MS);
        most = Math.max(most, await grown());
      }
    };
    await Promise.all([all(until), checking(), sampling()]);
    if (made === 0 || calls === 0) note(`nothing was tried: ${made} times trouble, ${calls} plain calls`);
    if (most > trouble.ceiling.during) note(`${mib(most)} MiB were held more than before`);
    let [left, isBack] = [await grown(), false];
    for (const end = performance.now() + SETTLE_SECONDS * 1000; performance.now() < end; ) {
      isBack = await playing.check().catch(() => false);
      left = await grown();
      if (isBack && left <= trouble.ceiling.after) break;
      await sleep(1000);
    }
    if (!isBack) note("no plain call gets an answer afterwards");
    if (left > trouble.ceiling.after) note(`${mib(left)} MiB are left`);
    return `${trouble.name}: ${made} times, ${calls} plain calls beside them, the slowest ${Math.round(slowest)} ms; ${mib(most)} MiB held more at most, ${mib(left)} MiB afterwards`;
  } catch (error) {
    note(`${error}`);
    return `${trouble.name}: broken off`;
  } finally {
    if (server.death !== undefined) note(server.death);
    await scene?.close?.();
    await server.stop();
  }
}

function bytesOf({ heap, buffers }: Held): number {
  return heap + buffers;
}

function mib(bytes: number): string {
  return (bytes / MIB).toFixed(1);
}
