import type { AgentCard } from "../../../../protocol/model.js";

/** Origins of a card's interfaces other than that of the agent's URL. */
export function otherOrigins({ supportedInterfaces }: AgentCard, agent: string): readonly string[] {
  const { origin: own } = new URL(agent);
  const found = supportedInterfaces.flatMap(({ url }) => {
    if (!URL.canParse(url, agent)) return [];
    const { origin, protocol } = new URL(url, agent);
    return /^https?:$/.test(protocol) ? origin : [];
  });
  return [...new Set(found)].filter((origin) => origin !== own);
}
