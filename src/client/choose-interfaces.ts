import { isLoopback } from "../net/is-loopback.js";
import { parseUrl } from "../net/parse-url.js";
import type { AgentCard, AgentInterface } from "../protocol/model.js";
import type { BindingName } from "../protocol/operations.js";
import type { CallCodec } from "../versions/client-codec.js";
import { callableVersions, loadCallCodec } from "../versions/client-codecs.js";
import { readVersion, versionName } from "../versions/version.js";
import { ClientError } from "./client-error.js";
import type { Fetch } from "./exchange.js";
import type { ClientSettings } from "./options.js";
import { grpcUrl } from "./transports/grpc/grpc-url.js";
import type { Transport } from "./transports/transport.js";
import { isBinding, loadTransport, transportNames } from "./transports/transports.js";

/** What an interface is called with: the codec of its version for its binding, and its transport. */
export interface Dialect {
  readonly codec: CallCodec;
  readonly transport: Transport;
}

/** The caller's preferences for interfaces. */
interface InterfacePreferences extends Pick<ClientSettings, "grpc" | "limits"> {
  readonly bindings: readonly string[] | undefined;
  readonly versions: readonly string[] | undefined;
  readonly minVersion: string | undefined;
}

/** An interface of an agent that the client can call. */
export interface Address {
  readonly entry: AgentInterface;
  readonly url: URL;
  readonly binding: BindingName;
  /** Protocol version of the interface. */
  readonly version: string;
  /** Gives what the interface is called with. It is imported for the first call and kept: later calls wait for no promise. */
  readonly load: () => Dialect | Promise<Dialect>;
  /** Whether requests have a version header: only for agents whose cards list versions without a patch number. */
  readonly namesVersion: boolean;
  /** Undefined without a tenant; the empty string counts as none (§8.3.2). */
  readonly tenant: string | undefined;
  /** Opens the connection that sends calls to the interface, if it is not the `fetch` of the client. */
  readonly open?: (() => Promise<Fetch>) | undefined;
}

/**
 * The interfaces of a card that the client can call, in order of preference: that of the card (§8.3.2), or of the caller's bindings and
 * versions if given. If entries have the same binding and URL, the one with the highest version is used (§8.3.2).
 *
 * @param base URL of the card, for relative URLs in it (§8.3.2)
 * @throws ClientError NO_INTERFACE, listing what the agent offers and what the client calls, with the field
 * `supportedInterfaces.protocolVersion` when only the versions differ; INVALID_OPTION
 */
export function chooseInterfaces(
  card: AgentCard,
  base: URL | undefined,
  preferences: InterfacePreferences,
): readonly Address[] {
  checkPreferences(preferences);
  const usable = card.supportedInterfaces.flatMap((entry) => addressOf(entry, base, preferences) ?? []);
  const wanted = usable.filter((address) => isWanted(address, preferences));
  const chosen = highestOfEach(wanted).sort(byPreference(preferences));
  if (chosen.length > 0) return chosen;
  const offered = card.supportedInterfaces.map(
    ({ protocolBinding, protocolVersion, url }) => `${protocolBinding} ${protocolVersion} at ${url}`,
  );
  const bindings = preferences.bindings ?? transportNames;
  const versions = callableVersions.filter((version) => isWantedVersion(version, preferences));
  const expected = `${bindings.join(" or ")} in version ${(versions.length > 0 ? versions : (preferences.versions ?? [])).join(" or ")}`;
  throw new ClientError(
    "NO_INTERFACE",
    `The agent has no interface that this client can use. It offers: ${offered.join(", ")}. The client calls ${expected}`,
    {
      expected,
      received: offered.join(", "),
      // The client supports one of the bindings, so only the versions differ.
      ...(card.supportedInterfaces.some(({ protocolBinding }) =>
        bindings.some((binding) => binding === protocolBinding.toUpperCase()),
      ) && { field: "supportedInterfaces.protocolVersion" }),
    },
  );
}

function addressOf(
  entry: AgentInterface,
  base: URL | undefined,
  preferences: InterfacePreferences,
): Address | undefined {
  const binding = entry.protocolBinding.toUpperCase();
  const version = readVersion(entry.protocolVersion) ?? versionName(entry.protocolVersion);
  if (!isBinding(binding) || !callableVersions.includes(version)) return undefined;
  const url = urlOf(entry, base, { ...preferences, isGrpc: binding === "GRPC" });
  if (url === undefined) return undefined;
  let loaded: Dialect | undefined;
  const load = async (): Promise<Dialect> => {
    const [codec, transport] = await Promise.all([loadCallCodec(version), loadTransport(binding)]);
    loaded = { codec: (await codec.forBinding?.(binding)) ?? codec, transport };
    return loaded;
  };
  const namesVersion = readVersion(entry.protocolVersion) === entry.protocolVersion;
  const tenant = entry.tenant || undefined;
  const address = { entry, url, binding, version, load: () => loaded ?? load(), namesVersion, tenant };
  return binding === "GRPC" ? { ...address, open: grpcOpener(load, preferences) } : address;
}

/** The URL of an interface; undefined for one that cannot be called. */
function urlOf(
  { url: text }: AgentInterface,
  base: URL | undefined,
  { grpc, isGrpc }: InterfacePreferences & { readonly isGrpc?: boolean },
): URL | undefined {
  if (isGrpc) return grpcUrl(text, grpc?.tls === false);
  if (parseUrl(text, base?.href) === undefined) return undefined;
  const url = reachable(new URL(text, base), base);
  return url.protocol === "https:" || url.protocol === "http:" ? url : undefined;
}

/** Opens the connection of a gRPC interface when it is first needed. All calls of the client share it. */
function grpcOpener(
  load: () => Promise<Dialect>,
  { grpc: { tls, wrap } = {}, limits }: InterfacePreferences,
): () => Promise<Fetch> {
  let opened: Promise<Fetch> | undefined;
  const open = async () => {
    const { codec } = await load();
    const { grpc: service, version } = codec;
    if (service === undefined)
      throw new ClientError("NO_INTERFACE", `Protocol version ${version} is not called over gRPC`);
    const { openGrpc } = await import("#grpc");
    const limit = Math.max(limits.answer, limits.event);
    const fetch = await openGrpc(service, { tls: tls === false ? undefined : tls, limit });
    return wrap?.(fetch) ?? fetch;
  };
  return () => {
    opened ??= open();
    return opened;
  };
}

/**
 * The URL of an interface. If it and the card's URL both name this machine and have the same port, it gets the host name of the card's
 * URL: an agent that listens on `[::1]` may name `127.0.0.1` in its card, and credentials are for the name that the caller used.
 */
function reachable(url: URL, base: URL | undefined): URL {
  const isSame = base !== undefined && url.protocol === base.protocol && url.port === base.port;
  if (isSame && isLoopback(url.hostname) && isLoopback(base.hostname)) url.hostname = base.hostname;
  return url;
}

function isWanted({ binding, version }: Address, preferences: InterfacePreferences): boolean {
  return (preferences.bindings?.includes(binding) ?? true) && isWantedVersion(version, preferences);
}

function isWantedVersion(version: string, { versions, minVersion }: InterfacePreferences): boolean {
  return (
    (versions?.includes(version) ?? true) &&
    (minVersion === undefined || compareVersions(version, minVersion) >= 0)
  );
}

/** One address for each binding, URL and tenant: the one with the highest version, at the position of the first. */
function highestOfEach(addresses: readonly Address[]): Address[] {
  const best = new Map<string, Address>();
  for (const address of addresses) {
    const { binding, url, tenant, version } = address;
    const key = JSON.stringify([binding, url.href, tenant]);
    const other = best.get(key);
    if (other === undefined || compareVersions(version, other.version) > 0) best.set(key, address);
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

/** Compares versions: positive when the first is newer. Both are `Major.Minor`, or a dialect, which counts as its version. */
function compareVersions(one: string, other: string): number {
  const [major = 0, minor = 0] = numbersOf(one);
  const [otherMajor = 0, otherMinor = 0] = numbersOf(other);
  return major - otherMajor || minor - otherMinor;
}

function numbersOf(version: string): number[] {
  return version.split(".").map((number) => Number.parseInt(number, 10));
}

function checkPreferences({ bindings = [], versions = [], minVersion }: InterfacePreferences): void {
  for (const binding of bindings) {
    if (!isBinding(binding))
      throw new ClientError("INVALID_OPTION", `bindings: "${binding}" is not supported`);
  }
  for (const version of [...versions, ...(minVersion === undefined ? [] : [minVersion])]) {
    if (readVersion(version) !== version && !callableVersions.includes(version)) {
      const known = callableVersions.join(", ");
      throw new ClientError(
        "INVALID_OPTION",
        `"${version}" is not a protocol version: use the form of ${known}`,
      );
    }
  }
}
