import type { CredentialProvider } from "../client/auth/credentials.js";
import type { Intervals } from "../client/backoff.js";
import type { Client } from "../client/client.js";
import { ClientError } from "../client/client-error.js";
import { connect } from "../client/connect.js";
import type { ConnectOptions } from "../client/options.js";
import type { AgentCard } from "../protocol/model.js";
import { type BindingName, protocolVersion as newest } from "../protocol/operations.js";
import type { ClientVersion } from "../versions/client-codecs.js";
import { agentIn, readReference } from "./agent-reference.js";
import type { CommandCall } from "./command.js";
import { Failure, usage } from "./failure.js";
import { storedLogins } from "./login-file.js";
import type { Values } from "./values.js";
import { callFetch, certificatesIn, loggedFetch } from "./wire-log.js";

const BINDINGS: readonly BindingName[] = ["JSONRPC", "HTTP+JSON", "GRPC"];

/** Time limits of the client. A command's own limit is `--timeout`, so there is no total limit. */
const TIMEOUTS = { connect: 30, idle: 120, total: Number.POSITIVE_INFINITY };

/**
 * Connects to the agent that the options name.
 * @throws Failure, and what `connect` throws
 */
export async function connectAgent(call: CommandCall): Promise<Client> {
  const { values, notes } = call;
  const target = await readReference(referenceIn(call), call.io);
  const given = connectOptions(call);
  const stored = hasCredentials(values) ? undefined : storedLogins(call, target);
  const client = await opened(call, target, stored === undefined ? given : { ...given, credentials: stored });
  const { protocolBinding, protocolVersion, url } = client.agentInterface;
  notes.debug(`calling ${url} over ${protocolBinding} ${protocolVersion}`);
  if (protocolVersion.startsWith("0.") && !isVersionChosen(values))
    notes.warn(
      `the agent speaks A2A ${protocolVersion} only, older than ${newest}; --a2a-min-version ${newest} refuses such agents`,
    );
  if (hasCredentials(values) && Object.keys(client.card.securitySchemes ?? {}).length === 0)
    notes.warn("the agent's card declares no security scheme: your credentials are not sent");
  return client;
}

/** Whether the options choose the protocol version. */
function isVersionChosen(values: Values): boolean {
  return values.text("a2a-version") !== undefined || values.text("a2a-min-version") !== undefined;
}

/**
 * Fetches and validates the card of an agent, for commands that do something else before they call it.
 * @throws Failure, and what `connect` throws
 */
export async function callableCard(call: CommandCall, target: URL | object): Promise<AgentCard> {
  const { headers: _, credentials: __, ...options } = connectOptions(call);
  return (await opened(call, target, options)).card;
}

async function opened(call: CommandCall, target: URL | object, options: ConnectOptions): Promise<Client> {
  applyInsecure(call);
  const agent = agentIn(target);
  return connect(target as URL | AgentCard, { ...options, agent }).catch((error: unknown) => {
    // A web page instead of a card means that the reference is wrong, not the agent.
    if (error instanceof ClientError && error.code === "INVALID_RESPONSE")
      throw new Failure("A2ACLI_ERR_CARD_INVALID", error.message, { cause: error });
    throw error;
  });
}

/** The reference to the agent, from an argument or from the option. */
export function referenceIn({ command, words, values }: CommandCall): string {
  const at = command.args.findIndex(({ name }) => name === "ref");
  const reference = words[at] ?? values.text("agent-card");
  if (reference !== undefined) return reference;
  throw usage("No agent is specified", "--agent-card <host, URL or file>, or A2ACLI_AGENT_CARD");
}

/** Whether the options have credentials. */
export function hasCredentials(values: Values): boolean {
  return ["bearer", "api-key", "client-cert"].some((name) => values.text(name) !== undefined);
}

/** With `--insecure`: accepts any TLS certificate from now on, and warns that certificates are not verified. */
export function applyInsecure({ values, notes, io }: CommandCall): void {
  if (!values.isOn("insecure")) return;
  io.trustAnyCertificate();
  notes.warn("--insecure: certificates are not verified, so another server can impersonate the agent");
  if (hasCredentials(values))
    notes.warn("SECURITY: your credentials are sent to a server whose identity is not verified");
}

/** The options of the client, from those of the command. */
export function connectOptions(call: CommandCall): ConnectOptions {
  const { values, notes, signal, output } = call;
  const version = values.text("a2a-version");
  const minVersion = values.text("a2a-min-version");
  const headers = serviceParameters(values);
  return {
    ...bindingsIn(values),
    ...(version !== undefined && { versions: [version as ClientVersion] }),
    ...(minVersion !== undefined && { minVersion }),
    ...(hasCredentials(values) && { credentials: credentialsIn(values) }),
    ...(Object.keys(headers).length > 0 && { headers }),
    origins: values.texts("allow-origin"),
    extensions: values.texts("extension"),
    fetch: callFetch(call),
    grpc: { tls: certificatesIn(call), wrap: (fetch) => loggedFetch(fetch, notes) },
    timeouts: TIMEOUTS,
    // A command that only waits for the end can poll instead of reconnecting.
    ...(!output.isStream && { resume: { attempts: 2 } }),
    polling: chosenIntervals(values) ?? usualIntervals,
    logger: notes.logger,
    signal,
  };
}

/** Polling intervals without `--poll-interval`: 2 seconds, growing to 15. */
const usualIntervals: Intervals = { first: 2, longest: 15 };

/** The polling interval of `--poll-interval`, which does not grow; undefined without it. */
export function chosenIntervals(values: Values): Intervals | undefined {
  const first = values.seconds("poll-interval");
  const isChosen = (values.setting("poll-interval")?.source ?? "default") !== "default";
  return first === undefined || !isChosen ? undefined : { first, longest: first };
}

/** The bindings of `--transport` in order of preference, followed by the others, so that an agent without them can still be called. */
function bindingsIn(values: Values): Pick<ConnectOptions, "bindings"> {
  const wanted = values.texts("transport").map((word) => word.toUpperCase());
  const unknown = wanted.find((word) => !BINDINGS.some((binding) => binding === word));
  if (unknown !== undefined) throw usage(`--transport: "${unknown}" is not supported`, BINDINGS.join(", "));
  const known = BINDINGS.filter((binding) => wanted.includes(binding));
  if (known.length === 0) return {};
  known.sort((one, other) => wanted.indexOf(one) - wanted.indexOf(other));
  return { bindings: [...known, ...BINDINGS.filter((binding) => !known.includes(binding))] };
}

/** The credential for a scheme of the card. */
function credentialsIn(values: Values): CredentialProvider {
  return ({ scheme }) => {
    if (scheme.apiKeySecurityScheme !== undefined) return values.text("api-key");
    if (scheme.httpAuthSecurityScheme?.scheme.toLowerCase() === "basic") return undefined;
    // The connection sends the certificate. Here the option only shows that the credential is available.
    return values.text(scheme.mtlsSecurityScheme === undefined ? "bearer" : "client-cert");
  };
}

function serviceParameters(values: Values): Record<string, string> {
  const pairs = values.texts("svc-param").map((text) => {
    const at = text.indexOf(":");
    if (at < 1) throw usage("--svc-param takes name:value");
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()] as const;
  });
  return Object.fromEntries(pairs);
}
