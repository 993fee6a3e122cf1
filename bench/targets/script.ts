import { setImmediate, setTimeout } from "node:timers/promises";
import { mark } from "./control.js";

/**
 * Commands to the agents of all targets, as the text of a message:
 *
 * - `echo …`: answer with a message that says the same.
 * - `task`: make a task with one artifact and complete it.
 * - `events N`: N progress messages, then complete. `chunks N`: one artifact in N chunks, then complete.
 * - `large N`: N progress messages and N artifacts, then complete.
 * - `paced N`: one artifact in N chunks, eight each five milliseconds, then complete.
 * - `gate K N`: begin, wait for `open K`, then N progress messages of 1 KiB, then complete.
 * - `flood K N`: the same with 64 KiB each.
 * - `hold`: begin and wait for ever.
 *
 * `turn`, `few` or `model` before N is the pace of the words, see {@link paces}; without one they come all at once. A paced word
 * holds the time at which it was given.
 */
export interface Command {
  readonly name: string;
  readonly key: string;
  readonly count: number;
  /** What the agent waits for before each word. */
  readonly pace: (() => Promise<unknown>) | undefined;
}

/** What an agent waits for before each word: one turn of the event loop, a few milliseconds, or as long as a model takes. */
const paces: Readonly<Record<string, () => Promise<unknown>>> = {
  turn: () => setImmediate(),
  few: () => setTimeout(4),
  model: () => setTimeout(20),
};

/** Reads a command from the text of a message. */
export function readCommand(text: string): Command {
  const space = text.indexOf(" ");
  const name = space === -1 ? text : text.slice(0, space);
  if (name === "echo" || space === -1) {
    return { name, key: "", count: 0, pace: undefined };
  }
  const words = text.slice(space + 1).split(" ");
  const pace = paces[words.at(-2) ?? ""];
  return { name, key: words[0] ?? "", count: Number(words.at(-1)), pace };
}

/** Longer runs note the CPU time at each quarter. */
const MARKED = 1000;

const KIB = 1024;
const sizes: Readonly<Record<string, number>> = { flood: 64 * KIB, gate: KIB };
/** Paced words come this many at a time, and then nothing for so many milliseconds. */
const PACE = { words: 8, pause: 5 };

/** Commands that wait for their gate to be opened. */
export const gated: ReadonlySet<string> = new Set(["gate", "flood"]);

/** Commands whose words are chunks of one artifact, and not progress messages. */
export const chunked: ReadonlySet<string> = new Set(["chunks", "paced"]);

/** The words of an agent, one at a time, as a model gives them. */
export async function* tokens({ name, count, pace }: Command): AsyncGenerator<string> {
  const size = sizes[name] ?? 32;
  // Looking at the clock costs something too.
  const quarter = count > MARKED ? count / 4 : Number.NaN;
  if (count > MARKED) mark();
  for (let index = 0; index < count; index += 1) {
    if (name === "paced" && index % PACE.words === 0) await setTimeout(PACE.pause);
    if (pace !== undefined) await pace();
    const word = (pace === undefined ? `${index} ` : `${index} at ${microseconds()} `).padEnd(size, "token ");
    yield name === "flood" ? flat(word) : word;
    if ((index + 1) % quarter === 0) mark();
  }
}

/** The time on a clock that all processes of a machine share. */
export function microseconds(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + Math.round(nanoseconds / 1000);
}

/** A flat copy of a word. V8 keeps a padded string as a rope until it is read, which needs far less memory than a word of a model. */
function flat(word: string): string {
  return Buffer.from(word, "latin1").toString("latin1");
}

const gates = new Map<string, { opened: Promise<void>; open: () => void }>();

/** A gate to wait for, or to open. The first use of a key creates it. */
export function gate(key: string): { readonly opened: Promise<void>; readonly open: () => void } {
  const known = gates.get(key);
  if (known !== undefined) return known;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const made = { opened, open };
  gates.set(key, made);
  return made;
}

/** A promise that never settles. */
export const never = new Promise<never>(() => undefined);
