import type { SkillMap } from "../agent/skills/contract.js";
import { isLoopback, parseUrl } from "../net/url.js";
import { assertObject } from "../protocol/argument.js";
import type { AgentCard, AgentExtension } from "../protocol/model.js";
import { checkNodeVersion } from "../runtime/supported-node.js";
import { newestClientVersion } from "../versions/client-codecs.js";
import type { AuthenticatorOptions, ClientAuthenticator } from "./auth/authenticator.js";
import { Caller } from "./caller.js";
import { type ResolveCardOptions, type ResolvedCard, resolveCard } from "./card/resolve-card.js";
import { Channel } from "./channel.js";
import { type Address, chooseInterfaces } from "./choose-interfaces.js";
import { Client } from "./client.js";
import { displayUrl } from "./client-error.js";
import { CurrentCard } from "./current-card.js";
import { type ClientSettings, type ConnectOptions, optionGroups, resolveClientOptions } from "./options.js";
import { extensionsToRequest, setServiceParameters } from "./service-parameters.js";

checkNodeVersion(globalThis.process?.versions);

/** Maximum number of interfaces that a client uses, because a call may try one after the other. */
const MAX_INTERFACES = 16;

/**
 * Checks options and adds defaults. The code that checks them is loaded only when there are some.
 * @throws ClientError INVALID_OPTION naming the option; TypeError for options that are not an object
 */
export async function checkedSettings(options: ConnectOptions): Promise<ClientSettings> {
  assertObject(options, "connect needs options, such as { timeouts: { total: 60 } }, or none");
  if (Object.keys(options).length > 0) {
    const { checkOptions } = await import("./check-options.js");
    await checkOptions(options, optionGroups);
  }
  return resolveClientOptions(options);
}

/**
 * Prepares to call an agent: finds and validates its card, and chooses interfaces (§8.2, §8.3). With the option `signatures`, the card
 * must also satisfy that policy (§8.4.3).
 *
 * @param agent the agent's URL, below which its card is found; the URL of the card; the card itself, from a catalog or from configuration;
 *   or, with the option `agent`, the URL of the host or that of its catalog
 * @throws ClientError CARD_UNAVAILABLE or CARD_INVALID; NO_INTERFACE, EXTENSION_REQUIRED or ORIGIN_NOT_ALLOWED when the client cannot use
 *   the agent; INVALID_OPTION; and the errors of the request for the card, such as UNREACHABLE. CardSignatureError when the signatures do
 *   not satisfy the policy. TypeError when the options are not an object. The reason of `signal` when it aborts the request for the card
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
  const settings = await checkedSettings(options);
  const target = await targetOf(agent);
  if (settings.agent !== undefined && !(target instanceof URL)) throw (await errors()).cardWithName();
  const cardOptions = cardOptionsOf(settings);
  const { card, url } = await resolveCard(target, cardOptions);
  if (settings.localChecks) await checkExtensions(card, settings);
  const origins = new Set([...(target instanceof URL ? [target.origin] : []), ...settings.origins]);
  const { addresses, isSendable } = await interfacesOf({ card, url }, settings, origins);
  warnOfPlainHttp(addresses, settings);
  // Imports the code for the first call.
  await addresses[0]?.load();
  const current = new CurrentCard(card);
  const currentCard = () => current.card;
  const { credentials, fetch } = settings;
  const allows = ({ origin }: URL) => origins.has(origin);
  const authenticator =
    credentials && (await authenticatorOf({ credentials, card: currentCard, fetch, allows, isSendable }));
  const channel = new Channel({ fetch, authenticator });
  const caller = new Caller({ addresses, channel, settings, card: currentCard });
  // The signal is for `connect` only.
  const fetchCard =
    target instanceof URL
      ? async () => (await resolveCard(target, { ...cardOptions, signal: undefined })).card
      : undefined;
  return new Client({ caller, current, settings, fetchCard, skills: options.skills });
}

/** The interfaces that the client calls, and which credentials can be sent over them. */
interface UsedInterfaces extends Pick<AuthenticatorOptions, "isSendable"> {
  readonly addresses: readonly Address[];
}

/**
 * Chooses the interfaces of a card that may receive the caller's credentials and headers, in order of preference. The packages for gRPC are
 * loaded only if the options allow a gRPC interface of the card.
 * @param origins origins that may receive credentials and headers
 * @throws ClientError NO_INTERFACE, ORIGIN_NOT_ALLOWED, INVALID_OPTION
 */
async function interfacesOf(
  { card, url }: ResolvedCard,
  settings: ClientSettings,
  origins: ReadonlySet<string>,
): Promise<UsedInterfaces> {
  const chosen = await chooseInterfaces(card, url, settings);
  const isAllowed = (address: Address) => origins.has(address.url.origin);
  if (!chosen.some(isGrpc)) {
    const allowed = await allowedOf(chosen, settings, isAllowed);
    return { addresses: allowed.slice(0, MAX_INTERFACES) };
  }
  const { openableOf } = await import("./transports/grpc/interfaces.js");
  const { isOnHostOf } = await import("./transports/grpc/grpc-url.js");
  const overGrpc = settings.credentials && (await import("./auth/grpc-credentials.js"));
  const sendable = overGrpc?.sendableAddresses(chosen, card, settings) ?? chosen;
  const openable = await openableOf(sendable, settings);
  const allowed = await allowedOf(
    openable,
    settings,
    (address) => isAllowed(address) || (isGrpc(address) && isOnHostOf(origins, address.url)),
  );
  const addresses = allowed.slice(0, MAX_INTERFACES);
  return { addresses, isSendable: addresses.some(isGrpc) ? overGrpc?.isSendableOverGrpc : undefined };
}

/** Creates the authenticator. Its code is imported only for clients with credentials. */
async function authenticatorOf(options: AuthenticatorOptions): Promise<ClientAuthenticator> {
  const { ClientAuthenticator } = await import("./auth/authenticator.js");
  return new ClientAuthenticator(options);
}

/** The errors and a warning of `connect`, imported with the first of them. */
const errors = () => import("./connect-error.js");

/**
 * The URL or the card to connect to. Members of a card are not checked here.
 * @throws ClientError INVALID_OPTION for a promise, for what is neither a URL nor an object, and for a URL that is not http or https or has
 * credentials
 */
async function targetOf(agent: unknown): Promise<URL | object> {
  if (typeof agent !== "string" && !(agent instanceof URL)) {
    if (typeof agent === "object" && agent !== null && !(agent instanceof Promise)) return agent;
    throw (await errors()).notAnAgent(agent);
  }
  const url = parseUrl(String(agent));
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url;
  throw (await errors()).notAnAgentUrl(url);
}

/** Options for fetching the card. The request names the newest released version; cards of older versions are read as well. */
function cardOptionsOf(settings: ClientSettings): ResolveCardOptions {
  const parameters = new Headers({ Accept: "application/json, application/a2a+json" });
  setServiceParameters(parameters, { version: newestClientVersion, extensions: new Set() });
  return { ...settings, parameters: Object.fromEntries(parameters) };
}

/**
 * Checks that the caller supports every extension that the agent requires (§3.3.4). A lenient client may receive extensions that are not a
 * list of objects.
 * @throws ClientError EXTENSION_REQUIRED; INVALID_OPTION for a URI in the options that cannot be sent
 */
async function checkExtensions({ capabilities }: AgentCard, settings: ClientSettings): Promise<void> {
  const active = extensionsToRequest(settings.extensions);
  const extensions: unknown = capabilities.extensions;
  const missing = (Array.isArray(extensions) ? extensions : []).flatMap((extension) => {
    const { uri, required }: Partial<AgentExtension> = Object(extension);
    return required && uri && !active.has(uri) ? [uri] : [];
  });
  if (missing.length > 0) throw (await errors()).missingExtensions(missing, active);
}

function isGrpc({ binding }: Address): boolean {
  return binding === "GRPC";
}

/**
 * The interfaces that may receive the caller's credentials and headers; all of them if the caller has neither. A card cannot allow an
 * origin (§13.4).
 * @param isAllowed whether an interface may receive them
 * @throws ClientError ORIGIN_NOT_ALLOWED when there is none
 */
async function allowedOf(
  addresses: readonly Address[],
  { credentials, headers, logger }: ClientSettings,
  isAllowed: (address: Address) => boolean,
): Promise<readonly Address[]> {
  if (credentials === undefined && Object.keys(headers).length === 0) return addresses;
  const allowed = addresses.filter(isAllowed);
  const elsewhere = addresses.filter((address) => !isAllowed(address));
  if (elsewhere.length > 0) (await errors()).skipInterfaces(elsewhere, { allowed, logger });
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
