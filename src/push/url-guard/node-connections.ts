import type { LookupAddress } from "node:dns";
import { Agent, type AgentOptions } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import type { ConnectionPlatform } from "./connections.js";
import { type ConnectionParameters, exchange } from "./exchange.js";
import { guardedFetch } from "./guarded-fetch.js";
import { networkResolver, systemResolver } from "./resolver.js";

/** Connections over Node's sockets. Each connection goes to an address that the guard has checked. */
export const connectionPlatform: ConnectionPlatform = {
  open({ find, ca, certificate, clock }) {
    const agents = keptConnections();
    const freshAgents = { "http:": new Agent(), "https:": new SecureAgent() };
    const lookup = lookupBy(find);
    let closed = false;
    const isClosed = () => closed;
    const to = (url: URL): ConnectionParameters => {
      const protocol = url.protocol === "https:" ? "https:" : "http:";
      const pools = { agent: agents[protocol], fresh: freshAgents[protocol] };
      return { url, ...pools, isClosed, lookup, ca, certificate, clock };
    };
    return {
      exchange: (url, request, found) =>
        exchange(found === undefined ? to(url) : { ...to(url), lookup: lookupBy(found) }, request),
      fetch: (url, request) => guardedFetch(to(url), request),
      close() {
        closed = true;
        for (const agent of [...Object.values(agents), ...Object.values(freshAgents)]) agent.destroy();
      },
    };
  },
  resolver: (findsLocalNames) => (findsLocalNames ? systemResolver : networkResolver()),
};

/** Limits on idle connections of http, and likewise of https: number per host and port, number in total, and milliseconds. */
const KEPT = { perHost: 4, total: 64, time: 4000 };

const options: AgentOptions = { keepAlive: true, maxFreeSockets: KEPT.perHost, timeout: KEPT.time };

/**
 * Makes agents that keep idle connections for reuse, each with a bound on their number. Node bounds idle connections only per host and
 * port, and one caller can name any number of hosts.
 */
function keptConnections(): Readonly<Record<"http:" | "https:", Agent>> {
  return { "http:": bounded(new Agent(options)), "https:": bounded(new SecureAgent(options)) };
}

function bounded<Kind extends Agent>(agent: Kind): Kind {
  // Node uses the result; its type declaration says that there is none.
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  const keepSocketAlive = (socket: Duplex) => idle(agent) < KEPT.total && keep(socket);
  return Object.assign(agent, { keepSocketAlive });
}

function idle({ freeSockets }: Agent): number {
  return Object.values(freeSockets).reduce((sum, sockets = []) => sum + sockets.length, 0);
}

/**
 * Maximum number of addresses of each family that one connection tries. Node tries one after the other, and a caller's name server can
 * return thousands of addresses that belong to others.
 */
const MAX_TRIED = 8;

/** Adapts a resolver to the function that Node calls when it connects. */
export function lookupBy(find: (hostname: string) => Promise<readonly string[]>): LookupFunction {
  return (hostname, { all }, done) => {
    find(hostname).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        if (all) done(null, tried(found));
        else done(null, found[0]?.address ?? "", found[0]?.family);
      },
      (error: Error) => done(error, ""),
    );
  };
}

/** The addresses to try, a bounded number of each family. */
function tried(found: readonly LookupAddress[]): LookupAddress[] {
  const families = [...new Set(found.map(({ family }) => family))];
  return families.flatMap((family) => found.filter((one) => one.family === family).slice(0, MAX_TRIED));
}
