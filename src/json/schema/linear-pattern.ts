import type { Budget } from "./budget.js";

/** Maximum length of a pattern, in characters. */
const MAX_LENGTH = 2000;
/** Maximum number of instructions of a pattern. */
const MAX_PROGRAM = 20_000;

/** An instruction: consume a character, continue in two places, test the place, or succeed. */
type Instruction =
  | { readonly op: "char"; readonly accepts: (codePoint: number) => boolean }
  | { readonly op: "split"; first: number; second: number }
  | { readonly op: "place"; readonly holds: (text: string, at: number) => boolean }
  | { readonly op: "look"; readonly program: Program; readonly negative: boolean }
  | { readonly op: "match" };
type Program = readonly Instruction[];

/** Emits the instructions of a part of the pattern. A counted part is emitted several times. */
type Emit = (program: Instruction[]) => void;

/**
 * A regular expression of JSON Schema, matched without backtracking: every state of the automaton is tried at most once for each
 * character, so the time is linear in the text. Only look-ahead repeats that work, within the budget of the check.
 * Back references, look-behind and changes of flags are refused.
 */
export class LinearPattern {
  readonly #program: Program;

  /** @throws SyntaxError for a pattern that is not valid, TypeError for one that is not supported or too large */
  constructor(source: string) {
    if (source.length > MAX_LENGTH) throw new TypeError(`must have at most ${MAX_LENGTH} characters`);
    // The platform checks the syntax. It never runs the pattern as a whole.
    new RegExp(source, "u");
    this.#program = programOf(new PatternReader(source).read());
  }

  /** Whether the pattern matches anywhere in the text. */
  test(text: string, budget: Budget): boolean {
    return search(this.#program, text, { from: 0, anchored: false }, budget);
  }
}

function programOf(emit: Emit): Program {
  const program: Instruction[] = [];
  emit(program);
  add(program, { op: "match" });
  return program;
}

function add(program: Instruction[], instruction: Instruction): void {
  if (program.length >= MAX_PROGRAM) throw new TypeError("repeats too much to be checked");
  program.push(instruction);
}

/** Runs a program over the text: all states at once, one character after the other. */
function search(
  program: Program,
  text: string,
  { from, anchored }: { readonly from: number; readonly anchored: boolean },
  budget: Budget,
): boolean {
  budget.spend(program.length >> 4);
  const reached = new Int32Array(program.length).fill(-1);
  let states: number[] = [];
  const enter = (start: number, at: number): boolean => {
    const open = [start];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (reached[state] === at) continue;
      reached[state] = at;
      budget.spend(1);
      const instruction = program[state] as Instruction;
      if (instruction.op === "match") return true;
      if (instruction.op === "char") states.push(state);
      else if (instruction.op === "split") open.push(instruction.second, instruction.first);
      else if (holdsAt(instruction, text, at, budget)) open.push(state + 1);
    }
    return false;
  };
  if (enter(0, from)) return true;
  for (let at = from; at < text.length; ) {
    const codePoint = text.codePointAt(at) as number;
    at += codePoint > 0xffff ? 2 : 1;
    const before = states;
    states = [];
    for (const state of before) {
      const instruction = program[state] as Instruction & { op: "char" };
      if (instruction.accepts(codePoint) && enter(state + 1, at)) return true;
    }
    if (!anchored && enter(0, at)) return true;
    if (anchored && states.length === 0) return false;
  }
  return false;
}

function holdsAt(
  instruction: Instruction & { op: "place" | "look" },
  text: string,
  at: number,
  budget: Budget,
): boolean {
  if (instruction.op === "place") return instruction.holds(text, at);
  return search(instruction.program, text, { from: at, anchored: true }, budget) !== instruction.negative;
}

/** Reads a pattern that the platform has found valid. */
class PatternReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): Emit {
    return this.#alternatives();
  }

  #alternatives(): Emit {
    const first = this.#sequence();
    if (!this.#take("|")) return first;
    const rest = this.#alternatives();
    return (program) => {
      const split = splitIn(program);
      first(program);
      const end = splitIn(program);
      split.second = program.length;
      rest(program);
      // A jump: both ways lead to the end.
      end.first = program.length;
      end.second = program.length;
    };
  }

  #sequence(): Emit {
    const terms: Emit[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source.charAt(this.#at)))
      terms.push(this.#term());
    return (program) => {
      for (const term of terms) term(program);
    };
  }

  #term(): Emit {
    const place = this.#place();
    if (place) return (program) => add(program, place);
    const atom = this.#take("(") ? this.#group() : this.#character();
    const counts = this.#quantifier();
    return counts ? repeated(atom, counts) : atom;
  }

  /** An assertion, or undefined. */
  #place(): Instruction | undefined {
    for (const [text, holds] of Object.entries(places)) if (this.#take(text)) return { op: "place", holds };
    if (this.#take("(?<=") || this.#take("(?<!")) throw new TypeError("must not look behind");
    for (const [text, negative] of [
      ["(?=", false],
      ["(?!", true],
    ] as const) {
      if (this.#take(text)) return { op: "look", program: programOf(this.#group()), negative };
    }
    return undefined;
  }

  /** The content of a group, up to its end. */
  #group(): Emit {
    this.#match(/\?(?::|<[^>]*>)/y);
    if (this.#source.charAt(this.#at) === "?") throw new TypeError("must not change flags");
    const content = this.#alternatives();
    this.#take(")");
    return content;
  }

  #character(): Emit {
    const source = this.#match(
      /\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|(?:\\u[dD][89abAB]..\\u[dD][c-fC-F]..)|\\u.{4}|\\x..|\\c.|\\?./suy,
    );
    if (/^\\[1-9k]/.test(source)) throw new TypeError("must not refer to a group");
    const accepts = acceptor(source);
    return (program) => add(program, { op: "char", accepts });
  }

  #quantifier(): { readonly least: number; readonly most: number } | undefined {
    const text = this.#match(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y);
    if (text === "") return undefined;
    const [, low, comma, high] = /\{(\d+)(,?)(\d*)\}/.exec(text) ?? [];
    if (low !== undefined) {
      const most = comma === "" ? Number(low) : high === "" ? Infinity : Number(high);
      return { least: Number(low), most };
    }
    return { least: text.startsWith("+") ? 1 : 0, most: text.startsWith("?") ? 1 : Infinity };
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #match(expression: RegExp): string {
    expression.lastIndex = this.#at;
    const [text = ""] = expression.exec(this.#source) ?? [];
    this.#at += text.length;
    return text;
  }
}

function repeated(emit: Emit, { least, most }: { readonly least: number; readonly most: number }): Emit {
  return (program) => {
    for (let count = 0; count < least; count++) once(emit, program);
    if (most === Infinity) {
      const start = program.length;
      const split = splitIn(program);
      emit(program);
      const back = splitIn(program);
      back.first = start;
      back.second = start;
      split.second = program.length;
      return;
    }
    const exits: { second: number }[] = [];
    for (let count = least; count < most; count++) {
      exits.push(splitIn(program));
      once(emit, program);
    }
    for (const exit of exits) exit.second = program.length;
  };
}

/** Emits a repetition. An empty part gets an instruction too, so that {@link MAX_PROGRAM} also limits its repetitions. */
function once(emit: Emit, program: Instruction[]): void {
  const before = program.length;
  emit(program);
  if (program.length === before) add(program, { op: "place", holds: () => true });
}

/** Adds a split to the next instruction; its second way is set later. */
function splitIn(program: Instruction[]): { first: number; second: number } {
  const split = { op: "split" as const, first: program.length + 1, second: program.length + 1 };
  add(program, split);
  return split;
}

/** Whether a character matches an atom. Atoms are single characters, so the platform decides without backtracking. */
function acceptor(source: string): (codePoint: number) => boolean {
  if (!/^[[\\.]/.test(source)) {
    const expected = source.codePointAt(0);
    return (codePoint) => codePoint === expected;
  }
  const one = new RegExp(`^(?:${source})$`, "u");
  return (codePoint) => one.test(String.fromCodePoint(codePoint));
}

const places: Readonly<Record<string, (text: string, at: number) => boolean>> = {
  "^": (_text, at) => at === 0,
  $: (text, at) => at === text.length,
  "\\b": isBoundary,
  "\\B": (text, at) => !isBoundary(text, at),
};

function isBoundary(text: string, at: number): boolean {
  return /\w/.test(text.charAt(at - 1)) !== /\w/.test(text.charAt(at));
}
