import type { SkillMap } from "../agent/skills/contract.js";
import { isLoopback } from "../net/is-loopback.js";
import { parseUrl } from "../net/parse-url.js";
import type { AgentCard } from "../protocol/model.js";
import { checkNodeVersion } from "../runtime/supported-node.js";
import { newestClientVersion } from "../versions/client-codecs.js";
import type { AuthenticatorOptions, ClientAuthenticator } from "./auth/authenticator.js";
import { Caller } from "./caller.js";
import { type ResolveCardOptions, type ResolvedCard, resolveCard } from "./card/resolve-card.js";
import { Channel } from "./channel.js";
import { type Address, chooseInterfaces } from "./choose-interfaces.js";
import { Client } from "./client.js";
import { ClientError, displayUrl } from "./client-error.js";
import { CurrentCard } from "./current-card.js";
import {
  type ClientSettings,
  type ConnectOptions,
  checkOptionNames,
  resolveClientOptions,
} from "./options.js";
import { extensionsToRequest, setServiceParameters } from "./service-parameters.js";
import { isOnHostOf } from "./transports/grpc/grpc-url.js";

checkNodeVersion(globalThis.process?.versions);

/** Maximum number of interfaces that a call tries in turn while they are unreachable. */
const MAX_INTERFACES = 16;

/**
 * Prepares to call an agent: finds its card, verifies it, and chooses an interface (§8.2, §8.3).
 *
 * @param agent the agent's URL, below which its card is found; the URL of the card; or the card itself, from a
 *   catalogue or from configuration
 * @throws ClientError when there is no card, it is invalid, or no interface can be used; CardSignatureError when its
 *   signatures do not satisfy the policy
 * @example
 * ```ts
 * const client = await connect("http://127.0.0.1:4000");
 * console.log(client.card.name);
 * ```
 */
export async function connect<Skills extends SkillMap = SkillMap>(
  agent: string | URL | AgentCard,
  options: ConnectOptions<Skills> = {},
): Promise<Client<Skills>> {
  await checkOptionNames(options);
  const settings = resolveClientOptions(options);
  const target = typeof agent === "string" ? parse(agent) : checkTarget(agent);
  if (settings.agent !== undefined && !(target instanceof URL))
    throw new ClientError(
      "INVALID_OPTION",
      "agent: a card is of one agent; give the URL of a host with the name of an agent",
    );
  const cardOptions = cardOptionsOf(settings);
  const { card, url } = await resolveCard(target, cardOptions);
  if (settings.localChecks) checkExtensions(card, settings);
  const chosen = chooseInterfaces(card, url, settings);
  const { credentials, fetch } = settings;
  const overGrpc =
    credentials && chosen.some(isGrpc) ? await import("./auth/grpc-credentials.js") : undefined;
  const sendable = overGrpc?.sendableAddresses(chosen, card, settings) ?? chosen;
  const callable = await openableOf(sendable, settings);
  const origins = new Set([...(target instanceof URL ? [target.origin] : []), ...settings.origins]);
  const allows = ({ origin }: URL) => origins.has(origin);
  const addresses = allowedOf(callable, settings, origins).slice(0, MAX_INTERFACES);
  warnOfPlainHttp(addresses, settings);
  // Imports what the first call needs.
  await addresses[0]?.load();
  const current = new CurrentCard(card);
  const isSendable = addresses.some(isGrpc) ? overGrpc?.isSendableOverGrpc : undefined;
  const authenticator =
    credentials &&
    (await authenticatorOf({ credentials, card: () => current.card, fetch, allows, isSendable }));
  const channel = new Channel({ fetch, authenticator });
  const caller = new Caller({ addresses, channel, settings, card: () => current.card });
  const fetchCard = target instanceof URL ? () => resolveCard(target, cardOptions).then(cardIn) : undefined;
  return new Client({ caller, current, settings, fetchCard, skills: options.skills });
}

/** What gets and renews credentials is imported for clients that have some. */
async function authenticatorOf(options: AuthenticatorOptions): Promise<ClientAuthenticator> {
  const { ClientAuthenticator } = await import("./auth/authenticator.js");
  return new ClientAuthenticator(options);
}

function cardIn({ card }: ResolvedCard): AgentCard {
  return card;
}

/** @throws ClientError for a promise or undefined, which a JavaScript program passes if it forgets an `await` */
function checkTarget(agent: URL | AgentCard): URL | AgentCard {
  if (typeof agent === "object" && agent !== null && !(agent instanceof Promise)) return agent;
  const found = agent instanceof Promise ? "a promise" : String(agent);
  throw new ClientError(
    "INVALID_OPTION",
    `The agent must be an absolute URL or an agent card, not ${found}: an \`await\` may be missing, as in \`(await serve(agent)).url\``,
  );
}

function parse(text: string): URL {
  if (parseUrl(text) === undefined)
    throw new ClientError("INVALID_OPTION", "The agent must be an absolute URL or an agent card");
  const url = new URL(text);
  if (/^https?:$/.test(url.protocol)) return url;
  throw new ClientError(
    "INVALID_OPTION",
    `The agent's URL must begin with https: or http:, not with ${url.protocol}`,
  );
}

/** Options for fetching the card. The client requests the newest version and reads every version. */
function cardOptionsOf(settings: ClientSettings): ResolveCardOptions {
  const parameters = new Headers({ Accept: "application/json, application/a2a+json" });
  setServiceParameters(parameters, { version: newestClientVersion, extensions: new Set() });
  return { ...settings, parameters: Object.fromEntries(parameters) };
}

/**
 * Checks that the caller supports every extension that the agent requires (§3.3.4).
 * @throws ClientError EXTENSION_REQUIRED
 */
function checkExtensions({ capabilities }: AgentCard, settings: ClientSettings): void {
  const active = extensionsToRequest(settings.extensions);
  const missing = (capabilities.extensions ?? []).flatMap(({ uri, required }) =>
    required && uri && !active.has(uri) ? [uri] : [],
  );
  if (missing.length === 0) return;
  throw new ClientError(
    "EXTENSION_REQUIRED",
    `The agent requires extensions that are not in the option "extensions": ${missing.join(", ")}`,
    { expected: missing.join(", "), received: [...active].join(", ") || "none" },
  );
}

function isGrpc({ binding }: Address): boolean {
  return binding === "GRPC";
}

/**
 * The interfaces whose connections can be opened. Those of gRPC cannot without its packages, or on platforms without HTTP/2. With a `fetch` of
 * the application they are used only when its options name gRPC: that function may guard what is connected to.
 * @throws ClientError NO_INTERFACE when none is left
 */
async function openableOf(
  addresses: readonly Address[],
  { bindings, hasOwnFetch, grpc, logger }: ClientSettings,
): Promise<readonly Address[]> {
  const mayOpen = !hasOwnFetch || grpc !== undefined || (bindings?.includes("GRPC") ?? false);
  const openable: Address[] = [];
  let reason: unknown;
  for (const address of addresses) {
    try {
      if (address.open !== undefined && !mayOpen) continue;
      await address.open?.();
      openable.push(address);
    } catch (error) {
      reason = error;
      logger.warn({ url: address.entry.url, err: error }, "An interface was skipped: it cannot be opened");
    }
  }
  if (openable.length > 0) return openable;
  const why =
    reason instanceof Error
      ? reason.message
      : 'name "GRPC" in the option "bindings" to use it beside "fetch"';
  throw new ClientError("NO_INTERFACE", `The agent has no interface that this client can use: ${why}`, {
    cause: reason,
  });
}

/**
 * The interfaces that may receive the caller's credentials and headers. A card cannot allow an origin, because it may come from a catalogue
 * (§13.4).
 * @param origins that of the agent's URL, and those in the option `origins`
 * @throws ClientError ORIGIN_NOT_ALLOWED when there is none
 */
function allowedOf(
  addresses: readonly Address[],
  { credentials, headers, logger }: ClientSettings,
  origins: ReadonlySet<string>,
): readonly Address[] {
  if (credentials === undefined && Object.keys(headers).length === 0) return addresses;
  const isAllowed = (address: Address) =>
    origins.has(address.url.origin) || (isGrpc(address) && isOnHostOf(origins, address.url));
  const allowed = addresses.filter(isAllowed);
  const elsewhere = addresses.find((address) => !isAllowed(address));
  if (elsewhere === undefined) return allowed;
  const { origin } = elsewhere.url;
  if (allowed.length === 0) {
    throw new ClientError(
      "ORIGIN_NOT_ALLOWED",
      `The card points to ${origin}, which must not receive the options "credentials" and "headers": ` +
        `add it to the option "origins" if they are meant for it`,
      { expected: "an allowed origin", received: origin },
    );
  }
  logger.warn({ origin }, 'An interface was skipped: its origin is not in the option "origins"');
  return allowed;
}

/** Logs a warning for each interface whose traffic leaves the machine unencrypted (§7.1). */
function warnOfPlainHttp(addresses: readonly Address[], { logger }: ClientSettings): void {
  for (const { url } of addresses) {
    if (url.protocol === "http:" && !isLoopback(url.hostname)) {
      logger.warn(
        { url: displayUrl(url) },
        "This interface is not encrypted: its traffic can be read in transit",
      );
    }
  }
}
