import { promises as dns } from "node:dns";

/**
 * All addresses that a host name has, IPv4 and IPv6.
 * @throws when it has none, or nobody could be asked
 */
export type Resolver = (hostname: string) => Promise<readonly string[]>;

const TIMEOUT_MS = 2000;
const TRIES = 2;

/**
 * Asks name servers over the network, in no thread of the process: a name server that never answers holds up nothing else.
 * Names of the machine's own (hosts file, search domains) do not exist for it.
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

/** Asks the operating system, which also knows its own names. */
export const systemResolver: Resolver = async (hostname) => {
  const found = await dns.lookup(hostname, { all: true });
  return found.map(({ address }) => address);
};
