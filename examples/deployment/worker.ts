import { completed, defineAgent } from "a2a-parley";
import { createHandler } from "a2a-parley/fetch";

/** On Workers tasks are kept in the memory of one isolate: fit for agents whose tasks end with their request. */
const agent = defineAgent({
  card: { name: "Echo", description: "Says it back." },
  async *execute({ text }) {
    yield completed(text);
  },
});

// The card has the URL of the request: Cloudflare passes on requests for the hosts of this Worker only.
const handler = createHandler(agent);

// biome-ignore lint/style/noDefaultExport: Workers take it.
export default {
  fetch(
    request: Request,
    _settings: unknown,
    context: { waitUntil(work: Promise<unknown>): void },
  ): Promise<Response> {
    const address = request.headers.get("CF-Connecting-IP") ?? undefined;
    // An executor that goes on after its answer keeps the isolate for a while.
    return handler(request, { address, waitUntil: (work) => context.waitUntil(work) });
  },
};
