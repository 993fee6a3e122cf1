import { artifact, completed, defineAgent, working } from "a2a-parley";
import { createHandler, type FetchHandler } from "a2a-parley/fetch";
import { LibsqlStore } from "a2a-parley/stores/libsql";

/** Counts slowly. After its Worker was stopped, another one goes on after the last number that is stored. */
const agent = defineAgent({
  card: { name: "Counter", description: "Counts to ten, or to the number that you send." },
  attempts: 3,
  async *execute({ text, task, signal }) {
    yield working();
    const stored = task?.artifacts?.[0]?.parts ?? [];
    const numbers = artifact({ artifactId: "numbers", name: "numbers" });
    // The first chunk replaces what an earlier run has stored, so it repeats that.
    if (stored.length > 0) yield numbers.parts(stored);
    for (let count = stored.length + 1; count <= (Number(text) || 10); count += 1) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      if (signal.aborted) return;
      yield numbers.text(`${count}\n`);
    }
    yield completed();
  },
});

/** Variables and secrets of the Worker. */
interface Settings {
  readonly DATABASE_URL: string;
  readonly DATABASE_TOKEN?: string;
  /** Seconds without a renewal after which another request takes over the tasks of a Worker that was stopped. */
  readonly LEASE_TIME?: string;
}

/** Each request opens its own: on Workers a request cannot use the timers and connections of another one, which may end at any time. */
async function openHandler(settings: Settings): Promise<FetchHandler> {
  const { DATABASE_URL: url, DATABASE_TOKEN: authToken, LEASE_TIME = "15" } = settings;
  const store = await LibsqlStore.open({ url, authToken });
  return createHandler(agent, { store, leaseTime: Number(LEASE_TIME) });
}

// biome-ignore lint/style/noDefaultExport: Workers take it.
export default {
  async fetch(
    request: Request,
    settings: Settings,
    context: { waitUntil(work: Promise<unknown>): void },
  ): Promise<Response> {
    const handler = await openHandler(settings);
    const address = request.headers.get("CF-Connecting-IP") ?? undefined;
    return handler(request, { address, waitUntil: (work) => context.waitUntil(work) });
  },

  /** The cron trigger: takes over tasks whose Worker was stopped, and sends webhooks again if there are any. */
  async scheduled(_event: unknown, settings: Settings): Promise<void> {
    const handler = await openHandler(settings);
    await handler.tick();
  },
};
