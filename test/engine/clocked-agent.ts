import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "vitest";
import { buildCard } from "../../src/card/build-card.js";
import { openAgent } from "../../src/engine/open-agent.js";
import type { AgentDefinition, ExecutionContext, Executor, Reply, Update } from "../../src/index.js";
import { silent } from "../../src/protocol/logger.js";
import type { ServeOptions } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { SqliteStore } from "../../src/stores/sqlite/index.js";
import { ManualClock } from "../../src/testing/manual-clock.js";
import { gate } from "../support/both.js";
import { type Peer, plainCard, serveFor } from "../support/peer.js";

/** What a run does. */
export type Work = (
  context: ExecutionContext,
) => AsyncGenerator<Update, Reply | void> | Promise<Reply | void>;

/** An executor that does nothing until the test says what. */
export function idleExecutor() {
  const begun = gate<ExecutionContext>();
  const told = gate<Work>();
  let runs = 0;
  const execute: Executor = async function* (context) {
    runs += 1;
    begun.open(context);
    const answer = (await told.opened)(context);
    return Symbol.asyncIterator in answer ? yield* answer : await answer;
  };
  return { execute, begun: begun.opened, go: told.open, runs: () => runs };
}

/** An agent whose engine has a clock that the test moves. */
export interface ClockedAgent {
  readonly clock: ManualClock;
  readonly url: string;
  readonly rpc: Peer;
  readonly rest: Peer;
  /** Stops the executors. */
  stop(): Promise<void>;
}

/** Serves an agent for one test by a clock that the test moves. */
export async function serveClocked(
  t: TestContext,
  agent: Omit<AgentDefinition, "card">,
  store: MemoryStore | SqliteStore = new MemoryStore(),
  options: ServeOptions = {},
): Promise<ClockedAgent> {
  const clock = new ManualClock();
  const facts = { url: "http://localhost", served: [], supported: new Set(["streaming"] as const) };
  const card = buildCard(plainCard, facts);
  const open = openAgent(
    { card: plainCard, ...agent },
    {
      ...{ name: "", card, cardAt: () => card, store, clock, newId: randomUUID, logger: silent },
      lease: { node: randomUUID(), duration: 15_000 },
      scopeOf: ({ tenant, principal }) => ({ agent: "", tenant, owner: principal.id }),
    },
  );
  const served = await serveFor(t, { card: plainCard, handler: open.handler }, options);
  t.onTestFinished(() => open.close(0));
  return { clock, ...served, stop: () => open.close(0) };
}

const stores: Record<string, (t: TestContext) => MemoryStore | SqliteStore> = {
  memory: () => new MemoryStore(),
  sqlite(t) {
    const folder = mkdtempSync(join(tmpdir(), "parley-"));
    const store = new SqliteStore({ file: join(folder, "tasks.db") });
    t.onTestFinished(async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    });
    return store;
  },
};

/** A test of an idle executor on a manual clock: over each JSON binding, and on a store in memory and one on disk. */
export function onClock(
  name: string,
  run: (peer: Peer, idle: ClockedAgent & ReturnType<typeof idleExecutor>) => Promise<void>,
  more: Partial<AgentDefinition> = {},
): void {
  for (const [kind, openStore] of Object.entries(stores)) {
    for (const binding of ["rpc", "rest"] as const) {
      test(`${name} [${binding}, ${kind}]`, async (t) => {
        const idle = idleExecutor();
        const clocked = await serveClocked(t, { execute: idle.execute, ...more }, openStore(t));
        await run(clocked[binding], { ...clocked, ...idle });
      });
    }
  }
}
