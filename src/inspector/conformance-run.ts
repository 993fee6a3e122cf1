import { checkAgent } from "../conformance/check-agent.js";
import { type Scenario, scenarioNames } from "../conformance/scenarios.js";
import type { AgentGuard } from "./agent-guard.js";
import type { ConformanceRun } from "./api.js";
import { GuardedGrpc } from "./guarded-grpc.js";
import type { OpenPage } from "./open-page.js";

/** What a run needs besides what the page has asked for. */
interface RunDeps {
  readonly page: OpenPage;
  readonly guard: AgentGuard;
  readonly signal: AbortSignal;
}

/** Checks an agent and tells the page each result with its exchanges, then the report. Never rejects. */
export async function runConformance(run: ConformanceRun, { page, guard, signal }: RunDeps): Promise<void> {
  const { id, target, agent, hints = {}, ...options } = run;
  const grpc = new GuardedGrpc(guard, agent);
  try {
    const { checks, ...report } = await checkAgent(typeof target === "string" ? new URL(target) : target, {
      ...options,
      fetch: guard.fetchFor(agent),
      grpc: { wrap: () => (input, init) => grpc.fetch(input, init) },
      signal,
      hints: new Map(Object.entries(hints).flatMap(([name, text]) => hintOf(name, text))),
      onResult: (result, done, all) => page.send({ type: "checked", id, result, done, all }),
    });
    page.send({ type: "reported", id, report });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    page.send({ type: "runFailed", id, message: signal.aborted ? "The run was ended here" : message });
  } finally {
    grpc.close();
  }
}

function hintOf(name: string, text: unknown): [Scenario, string][] {
  const scenario = scenarioNames.find((one) => one === name);
  return scenario === undefined || typeof text !== "string" ? [] : [[scenario, text]];
}
