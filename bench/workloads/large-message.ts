import { Connection } from "../driver/connection.js";
import { cpuPerRequest, expect } from "../driver/load.js";
import { send } from "../driver/requests.js";
import type { Workload } from "../workload.js";

const MIB = 1024 * 1024;
const TEXT = `echo ${"word ".repeat(MIB / 5)}`;
const COUNT = 12;

/** A message of one mebibyte that comes back. */
export const largeMessage: Workload = {
  name: "1 MiB message",
  about:
    "A message of 1 MiB answered with itself, 4 connections; servers that refuse it are told to take it.",
  measures: [{ key: "cpu", label: "CPU per request", goal: 1.2 }],
  options: { bodyLimit: 4 * MIB },
  often: 2,
  async visit(server, { scale }) {
    const count = Math.ceil(COUNT * scale);
    const request = send(server.ready, TEXT);
    const load = { count, connections: 4, request: () => request, check: expect('"ROLE_AGENT"') };
    return { cpu: await cpuPerRequest(server, load) };
  },
};

/** The same with servers as they come. */
export const largeMessageByDefault: Workload = {
  name: "1 MiB message",
  about: "Whether a message of 1 MiB is taken by a server that was told nothing.",
  measures: [{ key: "accepted", label: "accepted by default", unit: "", goal: 1, atLeast: true }],
  rounds: 1,
  fresh: true,
  async visit(server) {
    const connection = await Connection.open(server.port);
    const { status } = await connection.request(send(server.ready, TEXT));
    connection.close();
    return { accepted: status === 200 ? 1 : 0 };
  },
};
