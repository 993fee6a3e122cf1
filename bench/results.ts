import { type TargetName, targetNames } from "./driver/server.js";
import type { Found } from "./run-workload.js";
import type { Measure, Workload } from "./workload.js";

/** A number with the spread of the rounds that it is the median of. */
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
  readonly figures: Readonly<Partial<Record<TargetName, Figure>>>;
  /** The two targets that are compared, where it is not Parley with the floor. */
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

/** Whether Parley is where it should be; undefined where there is no goal or no figure. */
export function isMet({ goal, atLeast, figures, pair }: Row): boolean | undefined {
  const figure = figures[pair?.of ?? "parley"];
  if (goal === undefined || figure === undefined) return undefined;
  // As precise as it is shown.
  const shown = Number(figure.median.toFixed(2));
  return atLeast ? shown >= goal : shown <= goal;
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
