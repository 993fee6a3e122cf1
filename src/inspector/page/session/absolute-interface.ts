import type { AgentInterface } from "../../../protocol/model.js";

/** An interface with an absolute URL: cards may have relative ones (§8.3.2). Those of gRPC are hosts with ports, and stay as they are. */
export function absoluteInterface(entry: AgentInterface, agent: string): AgentInterface {
  const { url, protocolBinding } = entry;
  if (protocolBinding.toUpperCase() === "GRPC" || URL.canParse(url) || !URL.canParse(url, agent))
    return entry;
  return { ...entry, url: new URL(url, agent).href };
}
