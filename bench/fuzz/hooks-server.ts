import { completed, defineAgent, type Logger } from "../../src/index.js";
import { type Span, serve, type Telemetry } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { failures, hangs } from "../../test/operations/failures.js";
import { plainCard } from "../../test/support/peer.js";
import { tellPort } from "../../test/support/small-heap.js";
import { Random } from "../random.js";

/** Serves every version with hooks of which each call fails in another way, never settles, or does its work. Takes a seed. */
const random = new Random(Number(process.argv[2]));
const ways = Object.values(failures);

/** What a hook gives that is called now; `sound` where it does its work. */
function anyOf<Value>(sound: Value): any {
  const chance = random.next();
  if (chance < 0.4) return sound;
  return chance < 0.5 ? hangs() : random.pick(ways)();
}

const span: Span = {
  trace: undefined,
  run: (body) => body(),
  annotate: () => {},
  end: () => anyOf(undefined),
};
const telemetry: Telemetry = {
  begin: () => anyOf(span),
  count: () => anyOf(undefined),
  time: () => anyOf(undefined),
  observe: () => () => {},
};
const silent = () => undefined;
const logger: Logger = { debug: silent, info: silent, warn: silent, error: silent };

const agent = defineAgent({
  card: plainCard,
  async *execute() {
    yield completed();
  },
});

const { port } = await serve(agent, {
  // Stored tasks are deleted soon, so that leftovers of failing hooks are noticed.
  store: new MemoryStore({ ttl: { TASK_STATE_COMPLETED: 2000 }, grace: 0 }),
  versions: ["1.0", "0.3", "0.1-flat", "0.1"],
  limits: { hookTime: 0.05 },
  audit: () => anyOf(undefined),
  auth: { authorize: () => anyOf(undefined) },
  telemetry,
  logger,
});
tellPort(port);
