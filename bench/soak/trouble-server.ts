import { completed, defineAgent, working } from "../../src/index.js";
import { serve } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { PostgresStore } from "../../src/stores/postgres/index.js";
import { plainCard } from "../../test/support/peer.js";
import { tellPort } from "../../test/support/small-heap.js";

/**
 * Serves an agent that completes at once, for the classes of trouble that come from webhooks and from the database. Takes the URL of
 * a database; without one, tasks are in memory for two seconds after their end. Webhooks are given up after three attempts.
 */
const [url] = process.argv.slice(2);
const KEPT_MS = 2000;
const ttl = { TASK_STATE_COMPLETED: KEPT_MS };

const agent = defineAgent({
  card: plainCard,
  idempotentSends: true,
  attempts: 10,
  async *execute() {
    yield working();
    yield completed();
  },
});

const silent = () => undefined;
const { port } = await serve(agent, {
  store:
    url === undefined
      ? new MemoryStore({ ttl, grace: 0 })
      : await PostgresStore.open({ url, connections: 5 }),
  versions: ["1.0", "0.3", "0.1-flat", "0.1"],
  leaseTime: 2,
  limits: { requestTime: 10 },
  push: {
    ...{ allowHttp: true, allowPrivateNetworks: true },
    ...{ timeout: 1, attempts: 3, firstDelay: 0.1, maxDelay: 0.5 },
  },
  logger: { debug: silent, info: silent, warn: silent, error: silent },
});
tellPort(port);
