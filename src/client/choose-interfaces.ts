import { isLoopback, parseUrl } from "../net/url.js";
import type { AgentCard, AgentInterface } from "../protocol/model.js";
import type { BindingName } from "../protocol/operations.js";
import type { CallCodec } from "../versions/client-codec.js";
import { callableVersions, isCalledOver, loadCallCodec, optInVersions } from "../versions/client-codecs.js";
import { readVersion, versionName } from "../versions/version.js";
import type { Fetch } from "./exchange.js";
import type { ClientSettings } from "./options.js";
import type { Transport } from "./transports/transport.js";
import { isBinding, loadTransport, transportNames } from "./transports/transports.js";

/** The code with which an interface is called: the codec of its version for its binding, and its transport. */
export interface LoadedBinding {
  readonly codec: CallCodec;
  readonly transport: Transport;
}

interface VersionPreferences {
  readonly versions?: readonly string[] | undefined;
  readonly minVersion?: string | undefined;
}

/** The caller's preferences for interfaces. */
interface InterfacePreferences extends VersionPreferences, Pick<ClientSettings, "grpc" | "limits" | "fetch"> {
  readonly bindings: readonly string[] | undefined;
}

/** An interface of an agent that the client can call. */
export interface Address {
  readonly entry: AgentInterface;
  readonly url: URL;
  readonly binding: BindingName;
  /** Protocol version of the interface. */
  readonly version: string;
  /** Loads codec and transport, and imports them if necessary. Once they are loaded, the result is not a promise. */
  readonly load: () => LoadedBinding | Promise<LoadedBinding>;
  /** Whether requests have a version header: from 1.0 on (§3.6.1), and in older versions if the card lists them as `Major.Minor`. */
  readonly namesVersion: boolean;
  /** Undefined without a tenant; the empty string counts as none (§8.3.2). */
  readonly tenant: string | undefined;
  /** Opens an interface over gRPC or gRPC-Web, and resolves to the function that sends its calls; undefined for other bindings. */
  readonly open?: (() => Promise<Fetch>) | undefined;
}

type GrpcInterfaces = typeof import("./transports/grpc/interfaces.js");

/**
 * The interfaces of a card that the client can call and the preferences allow, in the order of the caller's bindings and versions if given,
 * else in that of the card (§8.3.2). Of entries with the same binding, URL and tenant, the client uses that with the version that the
 * caller prefers or, without preferred versions, that with the highest version (§8.3.2).
 *
 * @param base URL of the card, for relative URLs in it (§8.3.2)
 * @throws ClientError NO_INTERFACE, listing what the agent offers and what the client calls. Its field is `supportedInterfaces.url` if the
 * client calls an entry's binding in the entry's version, `supportedInterfaces.protocolVersion` if it only calls the binding, else
 * undefined. INVALID_OPTION for a preference with an unknown binding, or with a string that is not a version
 */
export async function chooseInterfaces(
  card: AgentCard,
  base: URL | undefined,
  preferences: InterfacePreferences,
): Promise<readonly Address[]> {
  await checkPreferences(preferences);
  const { supportedInterfaces: entries } = card;
  const hasGrpc = preferences.grpc?.web !== undefined || entries.some((entry) => bindingOf(entry) === "GRPC");
  const grpc = hasGrpc ? await import("./transports/grpc/interfaces.js") : undefined;
  const usable = entries.flatMap((entry) => addressOf(entry, base, preferences, grpc) ?? []);
  const wanted = usable.filter((address) => isWanted(address, preferences)).sort(byPreference(preferences));
  const chosen = oneOfEach(wanted, preferences.versions !== undefined);
  if (chosen.length > 0) return chosen;
  const { noInterface } = await import("./connect-error.js");
  const names = entries.map((entry) => namesIn(entry, preferences, grpc));
  throw noInterface(entries, preferences, {
    ...{ names, isCalledOver, isWantedVersion, transportNames, callableVersions },
  });
}

function bindingOf({ protocolBinding }: AgentInterface): string {
  return protocolBinding.toUpperCase();
}

/**
 * The binding and the version of an entry by the names that the client uses. A binding that the client does not know is in upper case. A
 * version has no patch number and no white space around it; a string that is not a version is unchanged, except a former name.
 */
function namesIn(
  entry: AgentInterface,
  preferences: InterfacePreferences,
  grpc: GrpcInterfaces | undefined,
): { readonly binding: string; readonly version: string } {
  const binding = grpc?.isOverWeb(entry, preferences) ? "GRPC" : bindingOf(entry);
  return { binding, version: readVersion(entry.protocolVersion) ?? versionName(entry.protocolVersion) };
}

function addressOf(
  entry: AgentInterface,
  base: URL | undefined,
  preferences: InterfacePreferences,
  grpc: GrpcInterfaces | undefined,
): Address | undefined {
  const { binding, version } = namesIn(entry, preferences, grpc);
  if (!isBinding(binding) || !callableVersions.includes(version)) return undefined;
  if (!isCalledOver(binding, version)) return undefined;
  let loaded: LoadedBinding | undefined;
  const load = async (): Promise<LoadedBinding> => {
    const [codec, transport] = await Promise.all([loadCallCodec(version), loadTransport(binding)]);
    loaded = { codec: (await codec.forBinding?.(binding)) ?? codec, transport };
    return loaded;
  };
  const overGrpc = binding === "GRPC" ? grpc?.grpcInterface(entry, base, load, preferences) : undefined;
  const url = binding === "GRPC" ? overGrpc?.url : urlOf(entry, base);
  if (url === undefined) return undefined;
  const namesVersion = version >= "1" || readVersion(entry.protocolVersion) === entry.protocolVersion;
  const tenant = entry.tenant || undefined;
  return {
    entry,
    url: reachable(url, base),
    binding,
    version,
    load: () => loaded ?? load(),
    namesVersion,
    tenant,
    open: overGrpc?.open,
  };
}

/** The URL of an interface other than gRPC; undefined for one that is not http or https. */
function urlOf({ url: text }: AgentInterface, base: URL | undefined): URL | undefined {
  const url = parseUrl(text, base);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/**
 * The URL of an interface. If it and the card's URL both name this machine and have the same scheme and port, it gets the host name of the
 * card's URL: an agent that listens only on `[::1]` may name `127.0.0.1` in its card, and by default credentials are sent only to the
 * origin of the URL that `connect` gets.
 */
function reachable(url: URL, base: URL | undefined): URL {
  const isSame = base !== undefined && url.protocol === base.protocol && url.port === base.port;
  if (isSame && isLoopback(url.hostname) && isLoopback(base.hostname)) url.hostname = base.hostname;
  return url;
}

function isWanted({ binding, version }: Address, preferences: InterfacePreferences): boolean {
  return (preferences.bindings?.includes(binding) ?? true) && isWantedVersion(version, preferences);
}

function isWantedVersion(version: string, { versions, minVersion }: VersionPreferences): boolean {
  return (
    (versions?.includes(version) ?? !optInVersions.has(version)) &&
    (minVersion === undefined || compareVersions(version, minVersion) >= 0)
  );
}

/**
 * One address for each binding, URL and tenant, at the position of the first one.
 * @param usesFirst whether to use the first one instead of the one with the highest version
 */
function oneOfEach(addresses: readonly Address[], usesFirst: boolean): Address[] {
  const best = new Map<string, Address>();
  for (const address of addresses) {
    const { entry, url, tenant, version } = address;
    // GRPC and gRPC-Web are one binding for the client, but two in the card.
    const key = JSON.stringify([bindingOf(entry), url.href, tenant]);
    const other = best.get(key);
    if (other === undefined || (!usesFirst && compareVersions(version, other.version) > 0))
      best.set(key, address);
  }
  return [...best.values()];
}

function byPreference({
  bindings,
  versions,
}: InterfacePreferences): (one: Address, other: Address) => number {
  const rank = (list: readonly string[] | undefined, word: string): number => list?.indexOf(word) ?? 0;
  return (one, other) =>
    rank(bindings, one.binding) - rank(bindings, other.binding) ||
    rank(versions, one.version) - rank(versions, other.version);
}

/** Compares versions by their `Major.Minor`, which also begins the name of a draft or dialect; positive when the first is newer. */
function compareVersions(one: string, other: string): number {
  const [major = 0, minor = 0] = numbersOf(one);
  const [otherMajor = 0, otherMinor = 0] = numbersOf(other);
  return major - otherMajor || minor - otherMinor;
}

function numbersOf(version: string): number[] {
  return version.split(".").map((number) => Number.parseInt(number, 10));
}

/** @throws ClientError INVALID_OPTION for an unknown binding, or for a string that is not a version */
async function checkPreferences({
  bindings = [],
  versions = [],
  minVersion,
}: InterfacePreferences): Promise<void> {
  const named = minVersion === undefined ? versions : [...versions, minVersion];
  const binding = bindings.find((name) => !isBinding(name));
  const version = named.find((name) => readVersion(name) !== name && !callableVersions.includes(name));
  if (binding === undefined && version === undefined) return;
  const { unknownPreference } = await import("./connect-error.js");
  throw unknownPreference(binding, version, { versions, transportNames, callableVersions });
}
