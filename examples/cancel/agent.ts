import { setTimeout } from "node:timers/promises";
import { A2AError, defineAgent, working } from "a2a-parley";

/** Prints one page, and then waits for paper. A job can only be canceled with a reason. */
export const agent = defineAgent({
  card: { name: "Printer", description: "Prints what you send." },
  async *execute({ signal }) {
    try {
      yield working("page 1");
      yield working("out of paper");
      // Rejects when the task is canceled, so that the executor stops.
      await setTimeout(3_600_000, undefined, { signal });
    } finally {
      console.log("(printer: tray closed)");
    }
  },
  cancel({ metadata }) {
    if (!metadata.reason) throw new A2AError("TASK_NOT_CANCELABLE", "Say why, in metadata.reason");
  },
});
