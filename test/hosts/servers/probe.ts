import type { Agent } from "a2a-parley";
import type { BindingName, ServerOptions } from "a2a-parley/server";
import { probeAgent } from "../../../examples/probe-agent/agent.js";
import { identity } from "../../../examples/probe-agent/identity.js";
import { openStore } from "../../../examples/probe-agent/open-store.js";
import { readSettings } from "../../../examples/probe-agent/settings.js";
import { endlessAgent } from "./endless-agent.js";

/** Where the hosts mount the agent. */
export const AT = "/agent";

type Env = Readonly<Record<string, string | undefined>>;

/** An agent and how it is served. */
interface Served {
  readonly agent: Agent;
  readonly options: ServerOptions;
}

/** Each reader is measured by itself: no other limit than that of the host's backpressure applies. */
const unlimited = {
  unsent: Number.POSITIVE_INFINITY,
  unsentPerPrincipal: Number.POSITIVE_INFINITY,
  writeTime: 600,
};

/** The agent with the options that the environment names, for a host that gets no store by name: the probe agent by default. */
export function probeFor(env: Env): Served {
  if (env.AGENT === "endless") return { agent: endlessAgent, options: { limits: unlimited } };
  const settings = readSettings(env);
  const options: ServerOptions = {
    bindings: settings.bindings as BindingName[],
    ...(settings.versions && { versions: settings.versions }),
    auth: identity(settings).auth,
    push: env.WEBHOOK_HOSTS === undefined ? {} : { allowHosts: env.WEBHOOK_HOSTS.split(",") },
    heartbeat: 1,
    ...(settings.maxBody !== undefined && { limits: { body: settings.maxBody } }),
  };
  return { agent: probeAgent(settings), options };
}

/** The same with the store that the environment names. */
export async function storedProbeFor(env: Env): Promise<Served> {
  const { agent, options } = probeFor(env);
  return { agent, options: { ...options, store: await openStore(readSettings(env).store) } };
}
