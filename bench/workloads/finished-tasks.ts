import { cpuPerRequest, expect } from "../driver/load.js";
import { send } from "../driver/requests.js";
import type { Workload } from "../workload.js";

const COUNT = 5_000;

/** What a task costs that has ended and is kept. */
export const finishedTasks: Workload = {
  name: "finished tasks",
  about: "5,000 small tasks with one artifact each, all ended and kept in memory.",
  measures: [{ key: "heap", label: "heap per task", unit: "B", goal: 1250 }],
  rounds: 1,
  fresh: true,
  together: true,
  async visit(server) {
    const work = (count: number) =>
      cpuPerRequest(server, {
        count,
        connections: 16,
        request: () => send(server.ready, "task"),
        check: expect('"TASK_STATE_COMPLETED"'),
      });
    // Caches fill up to their bounds first: they are not what a task costs.
    await work(COUNT / 4);
    const before = await server.memory();
    await work(COUNT);
    const after = await server.memory();
    return { heap: (after.heap - before.heap) / COUNT };
  },
};
