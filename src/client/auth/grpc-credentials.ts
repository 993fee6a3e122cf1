import type { AgentCard } from "../../protocol/model.js";
import type { Address } from "../choose-interfaces.js";
import { ClientError } from "../client-error.js";
import type { ClientSettings } from "../options.js";
import { type Alternative, alternativesOf } from "./authenticator.js";

/** Whether the credentials of an alternative can be sent over gRPC, whose calls have headers, cookies among them, but no query. */
export function isSendableOverGrpc(alternative: Alternative, { securitySchemes = {} }: AgentCard): boolean {
  return alternative.every(({ name }) => {
    const scheme = Object.hasOwn(securitySchemes, name) ? securitySchemes[name] : undefined;
    return scheme?.apiKeySecurityScheme?.location !== "query";
  });
}

/**
 * The interfaces over which the caller's credentials can be sent. gRPC interfaces are skipped, with a warning, if the option `credentials`
 * covers an alternative that has schemes, but none that can be sent over gRPC. It covers the schemes that it names; as a function, all.
 * @throws ClientError NO_INTERFACE when none is left
 */
export function sendableAddresses(
  addresses: readonly Address[],
  card: AgentCard,
  { credentials, logger }: Pick<ClientSettings, "credentials" | "logger">,
): readonly Address[] {
  const has = (name: string) => typeof credentials !== "object" || Object.hasOwn(credentials, name);
  const held = alternativesOf(card).filter((one) => one.length > 0 && one.every(({ name }) => has(name)));
  if (held.length === 0 || held.some((one) => isSendableOverGrpc(one, card))) return addresses;
  const others = addresses.filter(({ binding }) => binding !== "GRPC");
  const reason = "the agent takes an API key in the query, which cannot be sent over gRPC";
  if (others.length === 0)
    throw new ClientError("NO_INTERFACE", `The agent has no interface that this client can use: ${reason}`);
  logger.warn({}, `The gRPC interfaces were skipped: ${reason}`);
  return others;
}
