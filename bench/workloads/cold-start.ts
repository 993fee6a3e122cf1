import type { Workload } from "../workload.js";

/** From nothing to a first answer. */
export const coldStart: Workload = {
  name: "cold start",
  about: "From the start of the process to the first card, on the clock.",
  measures: [{ key: "time", label: "time to the first card", goal: 1.8 }],
  often: 2,
  fresh: true,
  async visit(server) {
    const response = await fetch(`http://127.0.0.1:${server.port}/.well-known/agent-card.json`);
    if (!response.ok) throw new Error(`No card: ${response.status}`);
    await response.arrayBuffer();
    return { time: performance.now() - server.spawned };
  },
};
