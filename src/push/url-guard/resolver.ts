import { promises as dns } from "node:dns";
import type { Resolver } from "./connections.js";

/** Milliseconds for a name server to answer the first query. */
const TIMEOUT_MS = 2000;
/** Maximum number of queries to each name server. */
const TRIES = 2;

/**
 * Queries name servers over the network, without a thread of Node's pool, which a name server that never answers would block. Names that
 * only the machine knows (hosts file, search domains) are not found.
 */
export function networkResolver(): Resolver {
  const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (addresses.length > 0) return addresses;
    const failure = answers.find((answer) => answer.status === "rejected");
    throw failure?.reason ?? new Error(`${hostname} has no address`);
  };
}

/** Asks the operating system, which also knows names of the local network. */
export const systemResolver: Resolver = async (hostname) => {
  const found = await dns.lookup(hostname, { all: true });
  return found.map(({ address }) => address);
};
