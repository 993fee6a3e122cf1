import { Connection, type Response } from "./connection.js";
import type { Server } from "./server.js";

/** Requests to send. */
export interface Load {
  readonly count: number;
  readonly connections: number;
  /** The bytes of a request; made anew for each, since no two messages have one id. */
  readonly request: (index: number) => Buffer;
  /** Throws when the response is not what the workload is about. */
  readonly check: (response: Response) => void;
}

/**
 * Sends requests over several connections, one at a time on each.
 * @returns CPU time of the server for one of them, in microseconds; opening the connections does not count
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

/** How many requests a visit is made of: of the published SDK, each of which takes several times as long, a third tells as much. */
export function requestsFor({ name }: Server, count: number): number {
  return name === "sdk" ? Math.ceil(count / 3) : count;
}

/** CPU time of the server for some work, in microseconds. */
export async function cpuFor(server: Server, work: () => Promise<void>): Promise<number> {
  const before = await server.cpu();
  await work();
  return (await server.cpu()) - before;
}

/** What some work costs a server: CPU time in microseconds, and calls of the system that write. */
export interface Cost {
  readonly cpu: number;
  readonly writes: number;
}

/** What some work costs the server. */
export async function costOf(server: Server, work: () => Promise<void>): Promise<Cost> {
  const before = await server.writes();
  const cpu = await cpuFor(server, work);
  return { cpu, writes: (await server.writes()) - before };
}

/** The value that a part of a list does not exceed; undefined for an empty list. */
export function quantile(values: readonly number[], part: number): number | undefined {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

/** Throws unless the response was accepted and has a text in it. */
export function expect(text: string): (response: Response) => void {
  return ({ status, body }) => {
    if (status === 200 && body.includes(text)) return;
    throw new Error(`expected ${JSON.stringify(text)}, got ${status} ${body.toString("utf8", 0, 300)}`);
  };
}
