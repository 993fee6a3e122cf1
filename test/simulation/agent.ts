import {
  type AgentDefinition,
  artifact,
  completed,
  type ExecutionContext,
  inputRequired,
  type Update,
  working,
} from "../../src/index.js";
import type { Host } from "./host.js";

/** What executors have seen, whatever became of it. */
export interface Ledger {
  /** Messages that an executor was given. */
  readonly worked: Set<string>;
  /** How often the work on a message is begun at most. */
  readonly attempts: number;
}

/** An agent that takes its time, and does what the first word of a message says. */
export function agentOf(host: Host, ledger: Ledger): AgentDefinition {
  return {
    card: { name: "Simulated", description: "" },
    attempts: ledger.attempts,
    idempotentSends: true,
    repeatableCancel: true,
    execute: (context) => execute(context, host, ledger),
  };
}

async function* execute(context: ExecutionContext, host: Host, ledger: Ledger): AsyncGenerator<Update, void> {
  const { text, message, attempt, taskId, signal, nextMessage } = context;
  const { world } = host;
  world.note(`${host.name} works on ${message.messageId} of ${taskId}, attempt ${attempt}`);
  ledger.worked.add(message.messageId);
  const [command = "", count = "1"] = text.split(" ");
  // Some take their time before they make the task.
  if (command === "slow") await host.sleep(world.delay(20_000));
  yield working();
  const pieces = artifact({ artifactId: `${message.messageId}` });
  for (let piece = 0; piece < Number(count); piece += 1) {
    await host.sleep(world.delay(2000));
    // Some executors do not look at their signal.
    if (signal.aborted && command !== "stubborn") return;
    yield pieces.text(`${piece} by ${host.name}, attempt ${attempt}`);
  }
  if (command === "ask") {
    yield inputRequired("Which one?");
    const answer = await nextMessage();
    ledger.worked.add(answer.messageId);
  }
  yield command === "leave" ? inputRequired("More?") : completed();
}
