import { createHandler, type FetchHandler } from "a2a-parley/fetch";
import { AT, probeFor } from "./probe.js";

/** What the configuration of workerd binds. */
type Env = Readonly<Record<string, string>> & { readonly AGENTS: never };

interface Namespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

/** One object has the agent's tasks, so that requests share them and work outlives the request that has begun it. */
export class Agents {
  readonly #handler: FetchHandler;
  readonly #state: { waitUntil(work: Promise<unknown>): void };

  constructor(state: { waitUntil(work: Promise<unknown>): void }, env: Env) {
    this.#state = state;
    const { agent, options } = probeFor(env);
    this.#handler = createHandler({ [AT]: agent }, options);
  }

  fetch(request: Request): Promise<Response> {
    const address = request.headers.get("cf-connecting-ip") ?? undefined;
    return this.#handler(request, { address, waitUntil: (work) => this.#state.waitUntil(work) });
  }
}

// biome-ignore lint/style/noDefaultExport: what a Worker is
export default {
  fetch(request: Request, { AGENTS }: Env): Promise<Response> {
    const agents = AGENTS as Namespace;
    return agents.get(agents.idFromName("agents")).fetch(request);
  },
};
