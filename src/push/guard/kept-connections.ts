import { Agent, type AgentOptions } from "node:http";
import { Agent as SecureAgent } from "node:https";
import type { Duplex } from "node:stream";

/** Idle connections: how many are kept for one host and in all, and for how many milliseconds. */
const KEPT = { perHost: 4, total: 64, time: 4000 };

const options: AgentOptions = { keepAlive: true, maxFreeSockets: KEPT.perHost, timeout: KEPT.time };

/**
 * Makes agents that keep connections for the next request to their host. They keep a bounded number in all: Node bounds them
 * per host only, and one caller can name any number of hosts.
 */
export function keptConnections(): Readonly<Record<"http:" | "https:", Agent>> {
  return { "http:": bounded(new Agent(options)), "https:": bounded(new SecureAgent(options)) };
}

function bounded<Kind extends Agent>(agent: Kind): Kind {
  // Declared without the result that Node goes by.
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  const keepSocketAlive = (socket: Duplex) => idle(agent) < KEPT.total && keep(socket);
  return Object.assign(agent, { keepSocketAlive });
}

function idle({ freeSockets }: Agent): number {
  return Object.values(freeSockets).reduce((sum, sockets = []) => sum + sockets.length, 0);
}
