import { cpuPerRequest, expect } from "../driver/load.js";
import { call } from "../driver/requests.js";
import type { Server } from "../driver/server.js";
import type { Workload } from "../workload.js";

const MANY = 100_000;
const FEW = 1000;
const COUNT = 70;
/** The published SDK sorts all that is stored for each page. */
const COUNT_OF_SDK = 2;

const queries = [
  ["page", { tenant: "many" }],
  ["small", { tenant: "few" }],
  ["context", { tenant: "many", contextId: "hundred" }],
  ["contextOfFew", { tenant: "few", contextId: "hundred" }],
] as const;

/** A page of a list, by how many tasks are stored. */
export const listTasks: Workload = {
  name: "ListTasks",
  about:
    "The first page of 50, with 1,000 and with 100,000 finished tasks stored; and of one context that has 100 of them.",
  measures: [
    { key: "page", label: "CPU per page of 100,000", goal: 1.5 },
    { key: "growth", label: "100,000 stored against 1,000", unit: "×", goal: 1.1 },
    { key: "contextGrowth", label: "one context of 100: 100,000 stored against 1,000", unit: "×", goal: 1.1 },
  ],
  often: 4,
  shared: true,
  async prepare(server) {
    await server.fill(MANY, "many");
    await server.fill(FEW, "few");
  },
  async visit(server, { scale }) {
    const count = server.name === "sdk" ? COUNT_OF_SDK : COUNT * scale;
    const cpu = { page: 0, small: 0, context: 0, contextOfFew: 0 };
    // In both orders, because the first one finds the caches of the machine filled by another server.
    for (const [name, query] of [...queries, ...queries.toReversed()]) {
      cpu[name] += (await pages(server, count, query)) / 2;
    }
    const { page, small, context, contextOfFew } = cpu;
    return { page, growth: page / small, contextGrowth: context / contextOfFew };
  },
};

async function pages(server: Server, count: number, query: object): Promise<number> {
  const request = call(server.ready, "ListTasks", { pageSize: 50, ...query });
  const load = { count, connections: 4, request: () => request, check: expect('"nextPageToken"') };
  return cpuPerRequest(server, load);
}
