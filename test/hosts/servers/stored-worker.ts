import worker from "../../../examples/deployment/worker-libsql.js";

/** What the configuration of workerd binds. */
type Env = Parameters<typeof worker.fetch>[1];

interface Context {
  waitUntil(work: Promise<unknown>): void;
}

/** Number of requests that have unfinished work. */
let working = 0;

/** The Worker of the examples. Its cron trigger is a path, and another path returns how many of its requests have unfinished work. */
// biome-ignore lint/style/noDefaultExport: what a Worker is
export default {
  async fetch(request: Request, env: Env, context: Context): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/working") return Response.json(working);
    if (pathname === "/scheduled") {
      await worker.scheduled(undefined, env);
      return new Response("done");
    }
    const waitUntil = (work: Promise<unknown>) => {
      working += 1;
      context.waitUntil(
        work.finally(() => {
          working -= 1;
        }),
      );
    };
    return worker.fetch(request, env, { waitUntil });
  },
};
