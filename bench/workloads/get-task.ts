import { Connection } from "../driver/connection.js";
import { cpuPerRequest, expect, requestsFor } from "../driver/load.js";
import { call, send } from "../driver/requests.js";
import type { Server } from "../driver/server.js";
import type { Workload } from "../workload.js";

/** Messages in the history, and as many artifacts. */
const SIZES = [1, 10, 100] as const;
const COUNTS = { 1: 400, 10: 300, 100: 120 } as const;
const tasks = new WeakMap<Server, Map<number, string>>();

/** Reading a finished task, by its size. */
export const getTask: Workload = {
  name: "GetTask",
  about: "Reading finished tasks with 1, 10 and 100 messages and as many artifacts, 16 connections.",
  measures: SIZES.map((size) => ({
    key: `cpu${size}`,
    label:
      size === 1
        ? "CPU per request, 1 message and 1 artifact"
        : `CPU per request, ${size} messages and ${size} artifacts`,
    ...(size !== 10 && { goal: size === 1 ? 1.5 : 1.3 }),
  })),
  often: 4,
  shared: true,
  async prepare(server) {
    const ids = new Map<number, string>();
    const connection = await Connection.open(server.port);
    for (const size of SIZES) {
      const { body } = await connection.request(send(server.ready, `large ${size}`));
      ids.set(size, JSON.parse(body.toString()).result.task.id);
    }
    connection.close();
    tasks.set(server, ids);
  },
  async visit(server, { scale }) {
    const findings: Record<string, number> = {};
    for (const size of SIZES) {
      const id = tasks.get(server)?.get(size);
      const count = requestsFor(server, COUNTS[size] * scale);
      const request = call(server.ready, "GetTask", { id });
      const load = {
        count,
        connections: 16,
        request: () => request,
        check: expect('"TASK_STATE_COMPLETED"'),
      };
      findings[`cpu${size}`] = await cpuPerRequest(server, load);
    }
    return findings;
  },
};
