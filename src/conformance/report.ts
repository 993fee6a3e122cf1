import type { Exchange } from "./exchange.js";
import { type Level, levelOf } from "./levels.js";

/** What became of a check, or of a requirement. */
export type Verdict = "met" | "violated" | "unprovoked";

/** One check, done over one binding or on the card. */
export interface CheckResult {
  readonly ids: readonly string[];
  readonly claim: string;
  readonly over: "card" | "JSONRPC" | "HTTP+JSON";
  readonly verdict: Verdict;
  /** What was found instead, or why the situation did not come about. */
  readonly found?: string;
  readonly exchanges: readonly Exchange[];
}

/** A requirement and what its checks say. */
export interface RequirementResult {
  readonly id: string;
  readonly level: Level;
  /** Violated as soon as one check finds it so; met as soon as one does and none is against it. */
  readonly verdict: Verdict;
  /** Places in the list of checks. */
  readonly checks: readonly number[];
}

/** What a run has found. */
export interface ConformanceReport {
  readonly agent: { readonly name: string; readonly url: string };
  readonly protocolVersion: string;
  readonly bindings: readonly string[];
  /** How many requirements have each verdict, by level. */
  readonly counts: Readonly<Partial<Record<Level, Readonly<Record<Verdict, number>>>>>;
  readonly requirements: readonly RequirementResult[];
  readonly checks: readonly CheckResult[];
}

/** Sums checks up by requirement. */
export function summarize(
  facts: Pick<ConformanceReport, "agent" | "protocolVersion" | "bindings">,
  checks: readonly CheckResult[],
): ConformanceReport {
  const places = new Map<string, number[]>();
  for (const [place, { ids }] of checks.entries())
    for (const id of ids) places.set(id, [...(places.get(id) ?? []), place]);
  const requirements = [...places].map(([id, list]): RequirementResult => {
    const verdicts = list.map((place) => checks[place]?.verdict);
    const verdict = ORDER.find((one) => verdicts.includes(one)) ?? "unprovoked";
    return { id, level: levelOf(id), verdict, checks: list };
  });
  const counts: Partial<Record<Level, Record<Verdict, number>>> = {};
  for (const { level, verdict } of requirements) {
    counts[level] ??= { met: 0, violated: 0, unprovoked: 0 };
    counts[level][verdict] += 1;
  }
  return { ...facts, counts, requirements, checks };
}

/** The verdict that counts before others. */
const ORDER: readonly Verdict[] = ["violated", "met", "unprovoked"];
