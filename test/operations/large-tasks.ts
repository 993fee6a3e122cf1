import { artifact, completed, defineAgent, inputRequired, reply } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { PostgresStore } from "../../src/stores/postgres/index.js";
import { SqliteStore } from "../../src/stores/sqlite/index.js";
import { allVersions } from "../support/all-versions.js";
import { plainCard } from "../support/peer.js";
import { tellPort } from "../support/small-heap.js";
import { LoopHolds } from "./loop-holds.js";

/**
 * Serves tasks of any size in every version: `large <MiB>` makes one that waits for its caller, `ask` one whose executor waits,
 * `whole <MiB>` one with a single large event, which then completes.
 * `holds` is answered with what has held the event loop since the last such question.
 */
const [kind = "memory", place = ""] = process.argv.slice(2);

const stores = {
  memory: () => new MemoryStore(),
  SQLite: () => new SqliteStore({ file: place, synchronous: "normal" }),
  PostgreSQL: () => PostgresStore.open({ url: place }),
};

const holds = new LoopHolds();

const agent = defineAgent({
  card: plainCard,
  async *execute({ text, ask }) {
    if (text === "holds") return reply(JSON.stringify(holds.take()));
    if (text.startsWith("ask ")) {
      yield* ask("What next?");
      return undefined;
    }
    const result = artifact({ name: "large" });
    if (text.startsWith("whole ")) {
      yield result.text("x".repeat(Number(text.replace("whole ", "")) * 1024 * 1024));
      yield completed();
      return undefined;
    }
    for (let mib = 0; mib < Number(text.replace("large ", "")); mib += 1)
      yield result.text("x".repeat(1024 * 1024));
    yield inputRequired("What next?");
    return undefined;
  },
});

const { port } = await serve(agent, {
  store: await stores[kind as keyof typeof stores](),
  versions: allVersions,
  logger: { debug() {}, info() {}, warn() {}, error: (facts, text) => console.error(text, facts) },
});
tellPort(port);
