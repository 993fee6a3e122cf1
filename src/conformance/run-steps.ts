import type { CheckResult } from "./report.js";
import { Deviation, Inconclusive } from "./verdict.js";
import type { Wire } from "./wire.js";

/** One run of a check. */
export interface Step {
  readonly check: { readonly ids: readonly string[]; readonly claim: string };
  readonly over: CheckResult["over"];
  /** @throws Deviation, Inconclusive */
  run(): Promise<void>;
}

/** Options that apply between steps. */
export interface RunOptions {
  readonly signal?: AbortSignal;
  /** Called after each check with the number of checks that are done, and of all. */
  readonly onResult?: (result: CheckResult, done: number, all: number) => void;
}

/** Runs the checks one after the other. */
export async function runSteps(
  steps: readonly Step[],
  wire: Wire,
  { signal, onResult }: RunOptions,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const step of steps) {
    signal?.throwIfAborted();
    const result = await perform(step, wire);
    results.push(result);
    onResult?.(result, results.length, steps.length);
  }
  return results;
}

/** Whether a check covers one of the requirements or groups in `only`. Without `only`, or with an empty list, every check is wanted. */
export function isWanted(ids: readonly string[], only: readonly string[] | undefined): boolean {
  if (only === undefined || only.length === 0) return true;
  return ids.some((id) => only.some((one) => id === one || id.replace(/-\d+$/, "") === one));
}

async function perform(step: Step, wire: Wire): Promise<CheckResult> {
  const {
    check: { ids, claim },
    over,
  } = step;
  wire.take();
  const facts = { ids, claim, over };
  try {
    await step.run();
    return { ...facts, verdict: "met", exchanges: wire.take() };
  } catch (thrown) {
    if (!(thrown instanceof Deviation || thrown instanceof Inconclusive)) throw thrown;
    const verdict = thrown instanceof Inconclusive ? "unprovoked" : "violated";
    return { ...facts, verdict, found: thrown.message, exchanges: wire.take() };
  }
}
