import type { AgentInterface } from "../protocol/model.js";
import { ClientError } from "./client-error.js";

// Errors of `connect`, and of calls that the agent or its version does not support. They are imported with the first one that is thrown,
// so that web pages without such errors do not load their texts.

/**
 * The error for a card without an interface that the client can call. It lists what the agent offers and what the client calls.
 * @param callable the versions that the client implements and its options allow
 */
export function noInterface(
  entries: readonly AgentInterface[],
  bindings: readonly string[],
  callable: readonly string[],
  {
    versions,
    minVersion,
    names,
    isCalledOver,
  }: {
    readonly versions: readonly string[] | undefined;
    readonly minVersion: string | undefined;
    /** The client's names of the binding and the version of each entry. */
    readonly names: readonly { readonly binding: string; readonly version: string }[];
    readonly isCalledOver: (binding: string, version: string) => boolean;
  },
): ClientError {
  const offered = entries
    .map(({ protocolBinding, protocolVersion, url }) => `${protocolBinding} ${protocolVersion} at ${url}`)
    .join(", ");
  const known = names.filter(({ binding }) => bindings.includes(binding));
  // An entry whose binding and version the client calls was left out because of its URL.
  const isUrl = known.some(
    ({ binding, version }) => callable.includes(version) && isCalledOver(binding, version),
  );
  const asked =
    callable.join(" or ") ||
    [versions?.join(" or "), minVersion && `${minVersion} or newer`].filter(Boolean).join(", limited to ");
  const [field, where] = isUrl
    ? [
        "url",
        `, at absolute http or https URLs${bindings.includes("GRPC") ? ", or for GRPC at host:port" : ""}`,
      ]
    : ["protocolVersion", ""];
  const expected = `${bindings.join(" or ")} in version ${asked}${where}`;
  return new ClientError(
    "NO_INTERFACE",
    `The agent has no interface that this client can use. It offers: ${offered}. The client calls ${expected}`,
    { expected, received: offered, ...(known.length > 0 && { field: `supportedInterfaces.${field}` }) },
  );
}

/** The error for an option with an unknown binding or, if `binding` is undefined, with a string that is not a version. */
export function unknownPreference(
  binding: string | undefined,
  version: string | undefined,
  known: readonly string[],
): ClientError {
  return invalidOption(
    binding === undefined
      ? `"${version}" is not a protocol version: use the form of ${known.join(", ")}`
      : `bindings: "${binding}" is not supported`,
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
      ? "The agent's URL must not contain a user name or password: pass them in the option `credentials`"
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

/** The error for a card without an interface that may receive the caller's credentials and headers (§13.4). */
export function originNotAllowed(origin: string): ClientError {
  return new ClientError(
    "ORIGIN_NOT_ALLOWED",
    `The card points to ${origin}, which must not receive the options "credentials" and "headers": ` +
      `add it to the option "origins" if they are meant for it`,
    { expected: "an allowed origin", received: origin },
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
