import type { BindingName, ServerOptions } from "a2a-parley/server";
import { probeAgent } from "../../../examples/probe-agent/agent.js";
import { identity } from "../../../examples/probe-agent/identity.js";
import { openStore } from "../../../examples/probe-agent/open-store.js";
import { readSettings } from "../../../examples/probe-agent/settings.js";

/** Where the hosts mount the agent. */
export const AT = "/agent";

/** The probe agent with the options that the environment names, for a host that gets no store by name. */
export function probeFor(env: Readonly<Record<string, string | undefined>>): {
  readonly agent: ReturnType<typeof probeAgent>;
  readonly options: ServerOptions;
} {
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
export async function storedProbeFor(env: Readonly<Record<string, string | undefined>>) {
  const { agent, options } = probeFor(env);
  return { agent, options: { ...options, store: await openStore(readSettings(env).store) } };
}
