import { type TargetName, targetNames } from "./driver/server.js";
import type { Found } from "./run-workload.js";
import type { Measure, Workload } from "./workload.js";

/** The median of the rounds, with the lowest and highest value. */
export interface Figure {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** One line of the results. */
export interface Row {
  readonly workload: string;
  readonly label: string;
  /** Unit of the figures; a ratio to the floor without one. */
  readonly unit?: string;
  readonly goal?: number;
  readonly atLeast?: true;
  readonly aboveFloor?: true;
  readonly figures: Readonly<Partial<Record<TargetName, Figure>>>;
  /** The two targets that are compared, if they are not Parley and the floor. */
  readonly pair?: Workload["pair"];
}

const [floor] = targetNames;

/** The lines of a workload. */
export function rowsOf({ name, measures, pair }: Workload, found: Found): Row[] {
  return measures.map(({ key, ...measure }) => {
    const figures: Partial<Record<TargetName, Figure>> = {};
    for (const target of pair ? [pair.by, pair.beside ?? pair.by, pair.of] : targetNames) {
      const figure = figureOf(valuesOf(target, { key, ...measure }, found, pair?.by));
      if (figure !== undefined) figures[target] = figure;
    }
    return { workload: name, ...measure, figures, ...(pair && { pair }) };
  });
}

/** Whether the goal is met; undefined without a goal or a figure. */
export function isMet(row: Row): boolean | undefined {
  const { goal, atLeast } = row;
  const value = judged(row);
  if (goal === undefined || value === undefined) return undefined;
  // As precise as it is shown.
  const shown = Number(value.toFixed(2));
  return atLeast ? shown >= goal : shown <= goal;
}

/**
 * The rows of several runs, each from the run in which Parley was worst. Targets that were not measured in that run keep the figures of the
 * first.
 */
export function worstOf([first = [], ...others]: readonly (readonly Row[])[]): Row[] {
  return first.map((row) => {
    const isSame = ({ workload, label }: Row) => workload === row.workload && label === row.label;
    return others.flatMap((rows) => rows.find(isSame) ?? []).reduce(worse, row);
  });
}

function worse(one: Row, other: Row): Row {
  const [before, after] = [judged(one), judged(other)];
  if (after === undefined || (before !== undefined && (one.atLeast ? after >= before : after <= before)))
    return one;
  return { ...one, figures: { ...one.figures, ...other.figures } };
}

/** What a goal is compared with. */
function judged({ figures, pair, aboveFloor }: Row): number | undefined {
  const value = figures[pair?.of ?? "parley"]?.median;
  const from = aboveFloor ? figures[pair?.by ?? floor]?.median : 0;
  return value === undefined || from === undefined ? undefined : value - from;
}

/** A value of each round: a ratio within the round, or the number itself. */
function valuesOf(
  target: TargetName,
  { key, unit }: Measure,
  found: Found,
  by: TargetName = floor,
): number[] {
  return (found[target] ?? []).flatMap((findings, round) => {
    const value = findings?.[key];
    if (value === undefined || unit !== undefined) return value ?? [];
    const base = found[by]?.[round]?.[key];
    return base === undefined ? [] : value / base;
  });
}

function figureOf(values: readonly number[]): Figure | undefined {
  const sorted = [...values].sort((one, other) => one - other);
  const [low] = sorted;
  const high = sorted.at(-1);
  if (low === undefined || high === undefined) return undefined;
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? high;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? low) + upper) / 2;
  return { median, low, high };
}
