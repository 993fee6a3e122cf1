import { cardLocations, type FetchCardOptions, fetchCard, unavailable } from "../client/card/fetch-card.js";
import { ClientError } from "../client/client-error.js";
import { resolveClientOptions } from "../client/options.js";
import { setServiceParameters } from "../client/service-parameters.js";
import type { AgentCard } from "../protocol/model.js";
import { decodeCard, newestClientVersion } from "../versions/client-codecs.js";
import { ContractFault } from "../versions/version.js";
import { readReference } from "./agent-reference.js";
import type { CommandCall } from "./command.js";
import { connectOptions, referenceIn, warnOfTrust } from "./connect-agent.js";
import { Failure } from "./failure.js";

/**
 * Fetches the card that the options name, unchanged. No credentials are sent.
 * @throws Failure, ClientError
 */
export async function rawCard(call: CommandCall): Promise<object> {
  const target = await readReference(referenceIn(call), call.io);
  if (!(target instanceof URL)) return target;
  warnOfTrust(call);
  const { headers: _, credentials: __, ...options } = connectOptions(call);
  const parameters = new Headers({ Accept: "application/json, application/a2a+json" });
  setServiceParameters(parameters, { version: newestClientVersion, extensions: new Set() });
  const value = await found(target, {
    ...resolveClientOptions(options),
    parameters: Object.fromEntries(parameters),
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

async function found(target: URL, options: FetchCardOptions): Promise<unknown> {
  let failure: ClientError | undefined;
  for (const url of cardLocations(target)) {
    try {
      const card = await fetchCard(url, options);
      if (card !== undefined) return card.value;
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== "INVALID_RESPONSE") throw error;
      failure ??= error;
    }
  }
  if (failure === undefined) throw unavailable(target, '"not found"');
  throw new Failure("A2ACLI_ERR_CARD_INVALID", failure.message, { cause: failure });
}
