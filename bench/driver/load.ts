import { Connection, type Response } from "./connection.js";
import type { Server } from "./server.js";

/** Requests to send. */
export interface Load {
  readonly count: number;
  readonly connections: number;
  /** Creates the bytes of a request. Each has a new message id. */
  readonly request: (index: number) => Buffer;
  /** Throws if the response is not the expected one. */
  readonly check: (response: Response) => void;
}

/**
 * Sends requests over several connections, one at a time on each.
 * @returns CPU time of the server per request, in microseconds, without opening the connections
 */
export async function cpuPerRequest(server: Server, load: Load): Promise<number> {
  const { count, connections, request, check } = load;
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(server.port)));
  let sent = 0;
  try {
    const cpu = await cpuFor(server, async () => {
      const all = open.map(async (connection) => {
        while (sent < count) {
          sent += 1;
          check(await connection.request(request(sent)));
        }
      });
      await Promise.all(all);
    });
    return cpu / count;
  } finally {
    for (const connection of open) connection.close();
  }
}

/** Number of requests of a visit. A third is enough for the published SDK, whose requests take several times as long. */
export function requestsFor({ name }: Server, count: number): number {
  return name === "sdk" ? Math.ceil(count / 3) : count;
}

/** CPU time of the server for some work, in microseconds. */
export async function cpuFor(server: Server, work: () => Promise<void>): Promise<number> {
  const before = await server.cpu();
  await work();
  return (await server.cpu()) - before;
}

/** Cost of some work on a server: CPU time in microseconds, and number of write calls. */
export interface Cost {
  readonly cpu: number;
  readonly writes: number;
}

/** Measures the cost of some work on the server. */
export async function costOf(server: Server, work: () => Promise<void>): Promise<Cost> {
  const before = await server.writes();
  const cpu = await cpuFor(server, work);
  return { cpu, writes: (await server.writes()) - before };
}

/** A quantile of a list; undefined for an empty list. */
export function quantile(values: readonly number[], part: number): number | undefined {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/** Returns a check that throws unless the response is a success and contains a text. */
export function expect(text: string): (response: Response) => void {
  return ({ status, body }) => {
    if (status === 200 && body.includes(text)) return;
    throw new Error(`expected ${JSON.stringify(text)}, got ${status} ${body.toString("utf8", 0, 300)}`);
  };
}
