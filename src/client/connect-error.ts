import type { Logger } from "../protocol/logger.js";
import type { AgentInterface } from "../protocol/model.js";
import { ClientError } from "./client-error.js";

// Errors of `connect`, and of calls that the agent or its version does not support. They are imported with the first one that is thrown,
// or with a warning of skipped interfaces, so that other web pages do not load their texts.

interface InterfaceOptions {
  readonly bindings?: readonly string[] | undefined;
  readonly versions?: readonly string[] | undefined;
  readonly minVersion?: string | undefined;
}

/** What the client implements. It is passed in, so that this file, which is imported on demand, loads no module of the client. */
interface Implementation {
  /** The client's names of the binding and the version of each entry. */
  readonly names: readonly { readonly binding: string; readonly version: string }[];
  readonly transportNames: readonly string[];
  readonly callableVersions: readonly string[];
  readonly isCalledOver: (binding: string, version: string) => boolean;
  readonly isWantedVersion: (version: string, options: InterfaceOptions) => boolean;
}

/** The error for a card without an interface that the client can call. It lists what the agent offers and what the client calls. */
export function noInterface(
  entries: readonly AgentInterface[],
  options: InterfaceOptions,
  client: Implementation,
): ClientError {
  const offered = entries
    .map(({ protocolBinding, protocolVersion, url }) => `${protocolBinding} ${protocolVersion} at ${url}`)
    .join(", ");
  const bindings = options.bindings ?? client.transportNames;
  const known = client.names.filter(({ binding }) => bindings.includes(binding));
  // An entry whose binding and version the client calls was left out because of its URL.
  const isUrl = known.some(
    ({ binding, version }) =>
      client.callableVersions.includes(version) &&
      client.isWantedVersion(version, options) &&
      client.isCalledOver(binding, version),
  );
  const called = calledOver(bindings, options, client);
  const urls = `absolute http or https URLs${bindings.includes("GRPC") ? ", or for GRPC at host:port" : ""}`;
  const asked = askedFor(options);
  const expected = called
    ? `${called}${isUrl ? `, at ${urls}` : ""}`
    : `an interface that satisfies ${asked}`;
  const calls = called
    ? `The client calls ${expected}`
    : `The client calls no interface that satisfies ${asked}. By default it calls ${calledOver(client.transportNames, {}, client)}`;
  return new ClientError(
    "NO_INTERFACE",
    `The agent has no interface that this client can use. It offers: ${offered}. ${calls}`,
    {
      expected,
      received: offered,
      ...(known.length > 0 && { field: `supportedInterfaces.${isUrl ? "url" : "protocolVersion"}` }),
    },
  );
}

/** The bindings that the client calls, with their versions: `JSONRPC or GRPC in version 1.0 or 0.3`; `""` for none. */
function calledOver(
  bindings: readonly string[],
  options: InterfaceOptions,
  { callableVersions, isWantedVersion, isCalledOver }: Implementation,
): string {
  const groups = new Map<string, string[]>();
  for (const version of callableVersions.filter((one) => isWantedVersion(one, options))) {
    const over = anyOf(bindings.filter((binding) => isCalledOver(binding, version)));
    if (over) groups.set(over, [...(groups.get(over) ?? []), version]);
  }
  return [...groups].map(([over, versions]) => `${over} in version ${anyOf(versions)}`).join(", or ");
}

/** The options that limit the choice: `` `versions` (0.3) and `minVersion` (1.0) ``. */
function askedFor({ bindings, versions, minVersion }: InterfaceOptions): string {
  return Object.entries({ bindings, versions, minVersion })
    .flatMap(([name, value]) => (value === undefined ? [] : [`\`${name}\` (${[value].flat().join(", ")})`]))
    .join(" and ");
}

/** A list in words: `a, b or c`. */
function anyOf(words: readonly string[]): string {
  return words.join(", ").replace(/, ([^,]*)$/, " or $1");
}

/** The error for options with an unknown binding or, if `binding` is undefined, with a string that is not a version. */
export function unknownPreference(
  binding: string | undefined,
  version: string | undefined,
  {
    versions,
    transportNames,
    callableVersions,
  }: Pick<Implementation, "transportNames" | "callableVersions"> & { readonly versions: readonly string[] },
): ClientError {
  if (binding !== undefined)
    return invalidOption(`bindings: "${binding}" is not supported: use ${anyOf(transportNames)}`);
  const option = versions.some((one) => one === version) ? "versions" : "minVersion";
  return invalidOption(
    `${option}: "${version}" is not a protocol version: use the form of ${callableVersions.join(", ")}`,
  );
}

/** The error for an agent that is neither a URL nor a card: often a promise, or undefined, where a program forgets an `await`. */
export function notAnAgent(agent: unknown): ClientError {
  const found = agent instanceof Promise ? "a promise" : String(agent);
  return invalidOption(
    `The agent must be an absolute URL or an agent card, not ${found}: an \`await\` may be missing, as in \`(await serve(agent)).url\``,
  );
}

/**
 * The error for a string that is not a URL, or for a URL that is not http or https or has credentials.
 * @param url undefined for a string that is not a URL
 */
export function notAnAgentUrl(url: URL | undefined): ClientError {
  if (url === undefined) return invalidOption("The agent must be an absolute URL or an agent card");
  return invalidOption(
    /^https?:$/.test(url.protocol)
      ? "The agent's URL must not contain a user name or password. Pass `basic(user, password)` in `credentials` if the card has a scheme for it; if the card itself needs it, pass an `Authorization` header in `headers`"
      : `The agent's URL must begin with https: or http:, not with ${url.protocol}`,
  );
}

/** The error for a card together with the name of an agent in a catalog. */
export function cardWithName(): ClientError {
  return invalidOption(
    "agent: a card describes one agent already; pass the URL of a host together with the name of an agent",
  );
}

function invalidOption(message: string): ClientError {
  return new ClientError("INVALID_OPTION", message);
}

/** The error for an agent that requires extensions which the caller does not support (§3.3.4). */
export function missingExtensions(missing: readonly string[], active: ReadonlySet<string>): ClientError {
  const expected = missing.join(", ");
  return new ClientError(
    "EXTENSION_REQUIRED",
    `The agent requires extensions that are not in the option "extensions": ${expected}`,
    { expected, received: [...active].join(", ") || "none" },
  );
}

/**
 * Logs a warning with the origins of interfaces that must not receive the caller's credentials and headers (§13.4).
 * @throws ClientError ORIGIN_NOT_ALLOWED if no other interface is allowed
 */
export function skipInterfaces(
  skipped: readonly { readonly url: URL }[],
  { allowed, logger }: { readonly allowed: readonly unknown[]; readonly logger: Logger },
): void {
  const origins = [...new Set(skipped.map(({ url }) => url.origin))];
  const received = origins.join(", ");
  if (allowed.length > 0) {
    logger.warn({ origins }, 'Interfaces were skipped: their origins are not in the option "origins"');
    return;
  }
  throw new ClientError(
    "ORIGIN_NOT_ALLOWED",
    `The options "credentials" and "headers" are not sent to the origins to which the card points: ${received}. ` +
      `Add those for which they are meant to the option "origins"`,
    { expected: "an allowed origin", received },
  );
}

/** The error for an operation whose capability the agent's card does not declare (§3.3.4). */
export function undeclaredCapability(operation: string, capability: string, declared: unknown): ClientError {
  return missingCapability(`The agent's card does not declare "${capability}", which ${operation} needs`, {
    expected: `capabilities.${capability} true`,
    received: `${declared ?? "nothing"}`,
  });
}

/** The error for something that a protocol version lacks over a binding. */
export function absentInVersion(what: string, version: string, binding: string): ClientError {
  return missingCapability(`There is no ${what} in protocol version ${version} over ${binding}`);
}

/**
 * The error for an optional operation that the agent does not know.
 * @param cause the error of the call
 */
export function unknownOperation(operation: string, cause: unknown): ClientError {
  return missingCapability(`The agent does not support ${operation}`, { cause });
}

function missingCapability(message: string, details?: ConstructorParameters<typeof ClientError>[2]) {
  return new ClientError("CAPABILITY_MISSING", message, details);
}
