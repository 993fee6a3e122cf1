import { cpuPerRequest, expect, requestsFor } from "../driver/load.js";
import { message, post, send } from "../driver/requests.js";
import type { Workload } from "../workload.js";

const CONNECTIONS = 16;
const COUNT = 750;
const TEXT = "echo How many legs has a spider?";

/** A message that is answered with a message: the cost of the server itself. */
export const echoJsonRpc: Workload = {
  name: "echo, JSON-RPC",
  about: "A message answered with a message, 16 connections.",
  measures: [{ key: "cpu", label: "CPU per request", goal: 1.45 }],
  often: 4,
  shared: true,
  async visit(server, { scale }) {
    const count = requestsFor(server, COUNT * scale);
    const check = expect('"ROLE_AGENT"');
    const load = { count, connections: CONNECTIONS, request: () => send(server.ready, TEXT), check };
    return { cpu: await cpuPerRequest(server, load) };
  },
};

/** The same with the other binding. */
export const echoHttpJson: Workload = {
  name: "echo, HTTP+JSON",
  about: "A message answered with a message, 16 connections.",
  measures: [{ key: "cpu", label: "CPU per request", goal: 1.45 }],
  often: 4,
  shared: true,
  async visit(server, { scale }) {
    const count = requestsFor(server, COUNT * scale);
    const path = `${server.ready.httpJson}/message:send`;
    const request = () => post(path, JSON.stringify(message(TEXT)), "application/a2a+json");
    const load = { count, connections: CONNECTIONS, request, check: expect('"ROLE_AGENT"') };
    return { cpu: await cpuPerRequest(server, load) };
  },
};
