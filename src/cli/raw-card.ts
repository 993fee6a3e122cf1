import { type CatalogEntry, readCatalog } from "../client/card/catalog.js";
import { catalogFetcher } from "../client/card/fetch-card.js";
import { type FindAgentCardOptions, findAgentCard } from "../client/card/resolve-card.js";
import { ClientError } from "../client/client-error.js";
import { checkedSettings } from "../client/connect.js";
import { setServiceParameters } from "../client/service-parameters.js";
import type { AgentCard } from "../protocol/model.js";
import { newestClientVersion } from "../versions/client-codecs.js";
import { decodeCard } from "../versions/decode-card.js";
import { ContractFault } from "../versions/version.js";
import { agentIn, readReference } from "./agent-reference.js";
import type { CommandCall } from "./command.js";
import { applyInsecure, connectOptions, referenceIn } from "./connect-agent.js";
import { Failure, usage } from "./failure.js";

/**
 * Fetches the card that the options name, unchanged. No credentials but a client certificate are sent.
 * @throws Failure, ClientError
 */
export async function rawCard(call: CommandCall): Promise<object> {
  const target = await readReference(referenceIn(call), call.io);
  if (!(target instanceof URL)) return target;
  const { value } = await findAgentCard(target, await findOptions(call, target)).catch((error: unknown) => {
    if (!(error instanceof ClientError) || error.code !== "INVALID_RESPONSE") throw error;
    throw new Failure("A2ACLI_ERR_CARD_INVALID", error.message, { cause: error });
  });
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new Failure(
    "A2ACLI_ERR_CARD_INVALID",
    `${target.origin} answers with JSON that is not an agent card`,
  );
}

/**
 * A card of any version in the form of the newest one.
 * @throws Failure
 */
export function decodedCard(raw: object): AgentCard {
  try {
    return decodeCard(raw);
  } catch (error) {
    if (!(error instanceof ContractFault)) throw error;
    throw new Failure("A2ACLI_ERR_CARD_INVALID", `The agent card is not valid: ${error.message}`);
  }
}

/**
 * Fetches the catalog of the host that the options name. No credentials but a client certificate are sent.
 * @throws Failure, ClientError
 */
export async function catalogEntries(call: CommandCall): Promise<readonly CatalogEntry[]> {
  const target = await readReference(referenceIn(call), call.io);
  if (!(target instanceof URL))
    throw usage("card list needs the URL of a host: a file has the card of one agent only");
  return readCatalog(target, catalogFetcher(target, await findOptions(call, target)));
}

async function findOptions(call: CommandCall, target: URL): Promise<FindAgentCardOptions> {
  applyInsecure(call);
  const { headers: _, credentials: __, ...options } = connectOptions(call);
  const parameters = new Headers({ Accept: "application/json, application/a2a+json" });
  setServiceParameters(parameters, { version: newestClientVersion, extensions: new Set() });
  return {
    ...(await checkedSettings(options)),
    parameters: Object.fromEntries(parameters),
    agent: agentIn(target),
  };
}
