import { clientTests } from "./client-tests.js";
import { libsqlTests } from "./libsql-tests.js";
import { memoryTests } from "./memory-tests.js";
import { TestRun } from "./run-tests.js";

/** Number of requests that a Worker sends at the same time. Cloudflare has a limit, and workerd none. */
const CONNECTIONS = 6;

/** Runs tests in a Worker and answers with the outcome: those of the client against `url`, test `only` of the libSQL store, or the memory store's. */
// biome-ignore lint/style/noDefaultExport: what a Worker is
export default {
  async fetch(request: Request): Promise<Response> {
    const { url, libsql, only } = Object.fromEntries(new URL(request.url).searchParams);
    const run = new TestRun();
    if (url !== undefined) clientTests(url, run);
    else if (libsql !== undefined) libsqlTests(run, libsql, limitedFetch());
    else memoryTests(run);
    return Response.json(await run.run(only === undefined ? undefined : Number(only)));
  },
};

/** A `fetch` as on Cloudflare: further requests wait until an earlier one has its response. */
function limitedFetch(): typeof fetch {
  const waiting: (() => void)[] = [];
  let open = 0;
  return async (...request) => {
    if (open === CONNECTIONS) await new Promise<void>((resolve) => waiting.push(resolve));
    else open += 1;
    try {
      return await fetch(...request);
    } finally {
      const next = waiting.shift();
      if (next === undefined) open -= 1;
      else next();
    }
  };
}
