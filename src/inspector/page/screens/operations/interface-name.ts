import type { AgentInterface } from "../../../../protocol/model.js";

/** An interface in a few words: its binding, version and tenant. */
export function interfaceName({ protocolBinding, protocolVersion, tenant }: AgentInterface): string {
  return `${protocolBinding} ${protocolVersion}${tenant ? `, tenant ${tenant}` : ""}`;
}
