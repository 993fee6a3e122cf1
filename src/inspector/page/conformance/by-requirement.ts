import type { CheckResult } from "../../../conformance/report.js";

/** The verdict on a requirement. */
export type RequirementVerdict = CheckResult["verdict"];

/** A requirement with the checks that cover it. */
export interface CheckedRequirement {
  readonly id: string;
  readonly verdict: RequirementVerdict;
  readonly checks: readonly CheckResult[];
}

/** Verdicts in the order in which they decide. */
const order: readonly RequirementVerdict[] = ["violated", "met", "unprovoked"];

/** Results by requirement: violated if any check is, else met if any is. Those that are violated come first. */
export function byRequirement(checks: readonly CheckResult[]): readonly CheckedRequirement[] {
  const found = new Map<string, CheckResult[]>();
  for (const check of checks) for (const id of check.ids) found.set(id, [...(found.get(id) ?? []), check]);
  return Array.from(found, ([id, of]) => {
    const verdict = order.find((one) => of.some((check) => check.verdict === one)) ?? "unprovoked";
    return { id, verdict, checks: of };
  }).sort(
    (one, other) =>
      order.indexOf(one.verdict) - order.indexOf(other.verdict) || one.id.localeCompare(other.id, "en"),
  );
}

/** How many requirements have each verdict. */
export function verdictCounts(
  requirements: readonly CheckedRequirement[],
): Readonly<Record<RequirementVerdict, number>> {
  const counts = { violated: 0, met: 0, unprovoked: 0 };
  for (const { verdict } of requirements) counts[verdict] += 1;
  return counts;
}
