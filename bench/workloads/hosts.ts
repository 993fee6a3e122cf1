import type { TargetName } from "../driver/server.js";
import { nextApp } from "../next-app.js";
import type { Workload } from "../workload.js";
import { echoJsonRpc } from "./echo.js";
import { streamsPerTurn } from "./streams.js";

/** The most that an agent may cost in an application of a framework, as a multiple of the framework's own JSON route with the same bytes. */
const ROUTE_GOAL = 1.15;
/** The most that `a2a-parley/fetch` may cost on Node, as a multiple of `serve`: for a message, and for an event of a stream. */
const FETCH_GOALS = { echo: 1.25, events: 1.1 };

/** Warms up the processes for as long as those that other workloads share. */
const WARM_UP = 5_000_000;
/** Rounds in place of each of the usual ones: the ratios are close to their goals. */
const OFTEN = 8;
/** Starts of the processes. From start to start, a ratio differs by a tenth. */
const STARTS = 4;

/** An existing workload for two targets. */
function paired(name: string, workload: Workload, of: TargetName, by: TargetName, goal?: number): Workload {
  const [measure] = workload.measures;
  if (measure === undefined) throw new Error(`${workload.name} measures nothing`);
  const { shared: _shared, ...rest } = workload;
  const { goal: _, ...measured } = measure;
  const measures = [{ ...measured, ...(goal !== undefined && { goal }) }];
  return {
    ...rest,
    warmUp: WARM_UP,
    often: OFTEN,
    starts: STARTS,
    name,
    measures,
    targets: [by, of],
    pair: { of, by },
  };
}

/** The same agent on several hosts. */
export const hosts: readonly Workload[] = [
  paired("hosts: fetch on Node, echo", echoJsonRpc, "parley-fetch", "parley", FETCH_GOALS.echo),
  paired("hosts: fetch on Node, streams", streamsPerTurn, "parley-fetch", "parley", FETCH_GOALS.events),
  paired("hosts: node:http, echo", echoJsonRpc, "parley-node", "node-http"),
  paired("hosts: Express, echo", echoJsonRpc, "parley-express", "express", ROUTE_GOAL),
  paired("hosts: Fastify, echo", echoJsonRpc, "parley-fastify", "fastify", ROUTE_GOAL),
  paired("hosts: Hono, echo", echoJsonRpc, "parley-hono", "hono", ROUTE_GOAL),
  paired("hosts: Koa, echo", echoJsonRpc, "parley-koa", "koa", ROUTE_GOAL),
  // Its visits take several times as long.
  {
    ...paired("hosts: Next.js, echo", echoJsonRpc, "parley-next", "next", ROUTE_GOAL),
    ...{ often: 2, starts: 1, options: { folder: nextApp } },
  },
];
