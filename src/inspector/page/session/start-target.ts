import { currentAgent, openAgentAt, openAgentWith } from "./current-agent.js";
import { pageServer } from "./page-server.js";

/** Opens the agent that the command line has named, or the only one of the server that the page belongs to. */
export async function startWithTarget(): Promise<void> {
  const server = pageServer.value;
  const target = server.status === "ready" ? server.session.target : undefined;
  if (target !== undefined && "card" in target) return openAgentWith(target.card);
  const [only, ...others] = startUrls();
  if (only !== undefined && others.length === 0 && currentAgent.value.status === "none")
    await openAgentAt(only);
}

/** URLs of the agents that the server of this page names. */
export function startUrls(): readonly string[] {
  const server = pageServer.value;
  if (server.status !== "ready") return [];
  const { target, mounted } = server.session;
  if (target !== undefined && "url" in target) return [target.url];
  return (mounted?.agents ?? []).map(({ path }) => new URL(path, location.href).href);
}
