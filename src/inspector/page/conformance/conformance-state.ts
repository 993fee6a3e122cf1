import { signal } from "@preact/signals";
import type { CheckResult, ConformanceReport } from "../../../conformance/report.js";
import type { ConformanceRun } from "../../api.js";
import { agentUrl } from "../session/agent-url.js";
import { problemOf } from "../session/current-agent.js";
import { onServerEvent, pageServer } from "../session/page-server.js";

/** A run of the checks of conformance. */
export interface ConformanceState {
  readonly status: "none" | "running" | "done" | "failed";
  /** Results so far, in the order of the report. */
  readonly checks: readonly CheckResult[];
  readonly done: number;
  readonly all: number;
  readonly report: Omit<ConformanceReport, "checks"> | undefined;
  readonly problem: string | undefined;
}

const none: ConformanceState = {
  ...{ status: "none", checks: [], done: 0, all: 0, report: undefined, problem: undefined },
};

/** The last run against the agent that is open. */
export const conformanceState = signal<ConformanceState>(none);

let current: { readonly id: number; readonly leave: () => void } | undefined;

// A run belongs to an agent.
agentUrl.subscribe(() => {
  stopConformance();
  conformanceState.value = none;
});

/** Runs the checks of conformance on the local server. */
export async function startConformance(settings: Omit<ConformanceRun, "id">): Promise<void> {
  const server = pageServer.peek();
  if (server.status !== "ready" || server.connection === undefined) return;
  stopConformance();
  const id = server.connection.nextId();
  conformanceState.value = { ...none, status: "running" };
  const leave = onServerEvent((event) => {
    if (!("id" in event) || event.id !== id) return;
    const before = conformanceState.peek();
    if (event.type === "checked")
      conformanceState.value = {
        ...before,
        ...{ checks: [...before.checks, event.result], done: event.done, all: event.all },
      };
    else if (event.type === "reported") finish({ status: "done", report: event.report });
    else if (event.type === "runFailed") finish({ status: "failed", problem: event.message });
  });
  current = { id, leave };
  try {
    await server.connection.request("POST", "conformance", { ...settings, id } satisfies ConformanceRun);
  } catch (error) {
    finish({ status: "failed", problem: problemOf(error) });
  }
}

/** Ends the run. What it has found stays. */
export function stopConformance(): void {
  const server = pageServer.peek();
  if (current === undefined) return;
  if (server.status === "ready") server.connection?.abort(current.id);
  finish({ status: "failed", problem: "You have ended the run" });
}

function finish(change: Partial<ConformanceState>): void {
  current?.leave();
  current = undefined;
  conformanceState.value = { ...conformanceState.peek(), ...change };
}
