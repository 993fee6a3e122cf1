import { createHash } from "node:crypto";
import { type Level, levels } from "../spec-model.js";
import type { Change } from "./change.js";

/** A sentence with a requirement level. */
export interface Rule {
  /** Section of the text, or what a comment stands on: `3.3.2`, `Task.generation`. */
  readonly place: string;
  readonly level: Level;
  readonly text: string;
}

/** Hashes of a rule, which show whether a later version has it too. Its words are not kept. */
export interface RulePrint {
  readonly place: string;
  readonly level: Level;
  /** Tells the sentence. */
  readonly id: string;
  /** Tells its words, in no order. */
  readonly words: string;
}

const words: Readonly<Record<Level, RegExp>> = {
  MUST: /\b(?:MUST|SHALL|REQUIRED)\b/,
  SHOULD: /\b(?:SHOULD|(?:NOT )?RECOMMENDED)\b/,
  MAY: /\b(?:MAY|OPTIONAL)\b/,
};
/** Minimum part of the words that two sentences share if one is a changed form of the other. */
const likeness = 0.5;

/** The rules in a paragraph or a comment. */
export function rulesIn(text: string, place: string): Rule[] {
  return text.split(/(?<=[.!?:;])\s+(?=[A-Z`"(\d])/).flatMap((sentence) => {
    const level = levels.find((candidate) => words[candidate].test(sentence));
    return level === undefined ? [] : [{ place, level, text: sentence.trim() }];
  });
}

/** The hashes of rules, except those with MAY. */
export function printsOf(rules: readonly Rule[]): RulePrint[] {
  const prints = rules
    .filter(({ level }) => level !== "MAY")
    .map(({ place, level, text }): RulePrint => {
      const all = text.toLowerCase().match(/[\w./:-]*\w/g) ?? [];
      const hashed = [...new Set(all)].map((word) => hash(word, 4)).sort();
      return { place, level, id: hash(all.join(" "), 16), words: hashed.join("") };
    });
  return [...new Map(prints.map((print) => [print.id, print])).values()];
}

function hash(text: string, length: number): string {
  return createHash("sha256").update(text).digest("hex").slice(0, length);
}

/**
 * Rules that were added, removed or changed. A sentence that moved to another section is unchanged.
 * @param before what is kept of the rules of the version before
 * @param after the rules of the new one
 * @param earlier the rules of the version before, where its text is at hand
 */
export function compareRules(
  before: readonly RulePrint[],
  after: readonly Rule[],
  earlier: readonly Rule[] = [],
): Change[] {
  const texts = (rules: readonly Rule[]) =>
    new Map(rules.flatMap((rule) => printsOf([rule]).map(({ id }) => [id, rule.text] as const)));
  const [old, now] = [texts(earlier), texts(after)];
  const kept = new Set(before.map(({ id }) => id));
  const prints = printsOf(after);
  const gone = new Set(before.filter(({ id }) => !now.has(id)));
  const changes = prints
    .filter(({ id }) => !kept.has(id))
    .map((print): Change => {
      const origin = closest(print, gone);
      const said = `${print.level}: ${now.get(print.id)}`;
      if (origin === undefined) return changeOf("added", print, said);
      gone.delete(origin);
      const was = old.get(origin.id);
      const level = origin.level === print.level ? "" : `${origin.level} is `;
      return changeOf("changed", print, `${level}${said}${was === undefined ? "" : ` (was: ${was})`}`);
    });
  const removed = [...gone].map((print) =>
    changeOf(
      "removed",
      print,
      `${print.level}: ${old.get(print.id) ?? "a sentence, of which no text is kept"}`,
    ),
  );
  return [...changes, ...removed];
}

function changeOf(kind: Change["kind"], { place }: RulePrint, text: string): Change {
  return { kind, subject: "rule", path: /^\d/.test(place) ? `§${place}` : place, text, breaking: false };
}

function closest(print: RulePrint, candidates: Iterable<RulePrint>): RulePrint | undefined {
  const scored = [...candidates].map((candidate) => [shared(print, candidate), candidate] as const);
  const best = scored.sort(([a], [b]) => b - a)[0];
  return best !== undefined && best[0] >= likeness ? best[1] : undefined;
}

/** The part of the words that both rules have. */
function shared(one: RulePrint, other: RulePrint): number {
  const [a, b] = [one, other].map(({ words: text }) => new Set(text.match(/.{4}/g)));
  const all = new Set([...(a ?? []), ...(b ?? [])]);
  const common = [...(a ?? [])].filter((word) => b?.has(word)).length;
  return all.size === 0 ? 0 : common / all.size;
}
