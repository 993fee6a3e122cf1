import { cpuPerRequest, expect, requestsFor } from "../driver/load.js";
import { send } from "../driver/requests.js";
import type { Workload } from "../workload.js";

const COUNT = 500;

/** A message that becomes a task with an artifact, which is stored and answered when it is complete. */
export const storedTask: Workload = {
  name: "stored task",
  about: "A message that makes a task with one artifact; the answer is the completed task; 16 connections.",
  measures: [{ key: "cpu", label: "CPU per request", goal: 1.4 }],
  often: 4,
  shared: true,
  async visit(server, { scale }) {
    const count = requestsFor(server, COUNT * scale);
    const check = expect('"TASK_STATE_COMPLETED"');
    const load = { count, connections: 16, request: () => send(server.ready, "task"), check };
    return { cpu: await cpuPerRequest(server, load) };
  },
};
