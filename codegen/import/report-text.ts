import { readFile } from "node:fs/promises";
import { applyText, commentRules } from "./apply-text.js";
import type { Change } from "./change.js";
import type { Contract } from "./contract.js";
import type { Merged } from "./merge.js";
import { ImportError, type Official } from "./official.js";
import { readText, type SpecificationText } from "./read-text.js";
import { textOf } from "./recognise.js";
import { section } from "./report.js";
import { compareRules, printsOf, type Rule, type RulePrint } from "./rules.js";

/** The text of a version and, where it is at hand, that of the version to compare with. */
export interface Texts {
  readonly now: SpecificationText;
  readonly before?: SpecificationText;
}

/** The result of reading the text of the specification. */
export interface TextReport {
  readonly merged: Merged;
  /** Rules that were added, removed or changed. */
  readonly changes: readonly Change[];
  /** The part of its rules that is kept for the import of the next version. */
  readonly rules: readonly RulePrint[];
  /** Lines for people. */
  readonly lines: readonly string[];
}

/**
 * Reads the texts that the command line names.
 * @throws ImportError when one of them is no specification
 */
export async function readTexts({
  text,
  baseText,
}: {
  readonly text?: string;
  readonly baseText?: string;
}): Promise<Texts | undefined> {
  if (text === undefined) {
    if (baseText !== undefined) throw new ImportError("--base-text is compared with the file of --text");
    return undefined;
  }
  const read = async (path: string) => {
    try {
      return readText(textOf(await readFile(path)));
    } catch (error) {
      throw error instanceof ImportError ? new ImportError(`${path}: ${error.message}`) : error;
    }
  };
  return { now: await read(text), ...(baseText !== undefined && { before: await read(baseText) }) };
}

interface Known {
  readonly merged: Merged;
  readonly official: Official;
  readonly base: Contract;
  /** The version that it adds to. */
  readonly before: Contract | undefined;
}

/** What the text says of a version beyond the file, and what has changed in it. */
export function reportText({ now, before: earlier }: Texts, known: Known): TextReport {
  const { merged, official, base, before } = known;
  const comments = commentRules(official);
  const rules = [...now.rules, ...comments];
  const applied = applyText(merged, now, comments, before);
  const count = (level: Rule["level"]) => rules.filter((rule) => rule.level === level).length;
  const version = base.schema["x-protocol-version"];
  const isKnown = earlier !== undefined || base.rules !== undefined;
  const unknown = isKnown
    ? []
    : [
        `nothing is known of the text of ${version}, so what came, went or changed is not: --base-text names it`,
        ...applied.rulesOnNew.map(({ place, level, text }) => `${place}: ${level}: ${text}`),
      ];
  return {
    merged: applied,
    changes: changesOf({ now, ...(earlier && { before: earlier }) }, rules, base.rules),
    rules: printsOf(rules),
    lines: [
      `text: ${now.errors.length} errors, ${now.methods.length} methods, ${count("MUST")} sentences with MUST, ${count("SHOULD")} with SHOULD`,
      ...section("What the text says of what is new", unknown),
      ...section("The text and the file disagree", applied.contradictions),
      ...section(
        "Levels by the text",
        Object.entries(applied.contract.operations.levels ?? {}).map(([name, level]) => `${name}: ${level}`),
      ),
    ],
  };
}

/** A text of the version before says nothing of the comments in its file: these are compared with what an import has kept only. */
function changesOf(
  { now, before }: Texts,
  rules: readonly Rule[],
  kept: readonly RulePrint[] | undefined,
): Change[] {
  if (before !== undefined) return compareRules(printsOf(before.rules), now.rules, before.rules);
  return kept === undefined ? [] : compareRules(kept, rules);
}
