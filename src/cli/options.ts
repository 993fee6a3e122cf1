import { FLAT_VERSION } from "../versions/version.js";

/** An option of a command. Its name is the long flag, from which the name of its environment variable is derived. */
export interface Option {
  readonly name: string;
  readonly short?: string;
  /** Other long flags. They have no environment variables. */
  readonly aliases?: readonly string[];
  /** Placeholder of its value in the help; a switch has none. */
  readonly takes?: string;
  /** Whether it can be repeated. */
  readonly many?: true;
  readonly help: string;
  /** Default value. */
  readonly fallback?: string;
  /** Default behaviour in words, for an option without a `fallback`. */
  readonly otherwise?: string;
  /** Whether its values are never shown. */
  readonly secret?: true;
  /** Whether it is read from the command line only, not from environment variables and files. */
  readonly explicit?: true;
  /** Possible values, for completion. */
  readonly choices?: readonly string[];
}

/** A flag that adds a part to a message, or describes the part before it. */
export interface PartFlag {
  readonly flag: "text" | "file" | "data" | "media-type";
  readonly value: string;
}

/** Options of all commands. */
export const globalOptions: readonly Option[] = [
  {
    name: "output",
    short: "o",
    takes: "text|json",
    fallback: "text",
    choices: ["text", "json"],
    help: "Output format",
  },
  { name: "verbose", help: "Show all of what the agent sent" },
  { name: "debug", help: "Log to stderr, with every request and response" },
  {
    name: "config",
    takes: "file",
    explicit: true,
    help: "Read settings from this .env file instead of the local one",
  },
  { name: "help", short: "h", explicit: true, help: "Show this help" },
  { name: "version", short: "v", explicit: true, help: "Print the version" },
];

/** The option that names the agent, for every command that calls one. */
export const agentCard: Option = {
  name: "agent-card",
  short: "a",
  takes: "ref",
  help: "The agent: a host, host#name for one in its catalog, the URL of its card, or a file with its card",
};

/** Options of HTTP requests. */
export const requestOptions: readonly Option[] = [
  {
    name: "bearer",
    takes: "token",
    secret: true,
    help: "Bearer token; other users can read it in the process list",
  },
  {
    name: "api-key",
    takes: "key",
    secret: true,
    help: "API key; other users can read it in the process list",
  },
  {
    name: "svc-param",
    takes: "name:value",
    many: true,
    secret: true,
    help: "Service parameter of every request, sent as a header",
  },
  { name: "client-cert", takes: "file", help: "Client certificate for mutual TLS, PEM" },
  { name: "client-key", takes: "file", help: "Key of the client certificate, PEM" },
  {
    name: "ca",
    takes: "file",
    help: "Certificates of the authorities to trust instead of the default ones, PEM",
  },
  { name: "insecure", help: "Accept any TLS certificate; for development only" },
];

/** Options of commands that call an agent. */
export const callOptions: readonly Option[] = [
  agentCard,
  ...requestOptions,
  {
    name: "transport",
    aliases: ["binding"],
    takes: "binding",
    many: true,
    choices: ["JSONRPC", "HTTP+JSON", "GRPC"],
    otherwise: "the order of the card",
    help: "Preferred binding, the best first; the others are used if the card lists none of these",
  },
  {
    name: "a2a-version",
    takes: "version",
    otherwise: "the highest that both sides support",
    help: `Protocol version, or ${FLAT_VERSION}`,
  },
  { name: "a2a-min-version", takes: "version", otherwise: "any", help: "Oldest protocol version to accept" },
  { name: "extension", takes: "uri", many: true, help: "Extension to request" },
  {
    name: "allow-origin",
    takes: "origin",
    many: true,
    help: "Origin that may receive credentials, besides that of the agent's URL; required for a card in a file",
  },
  { name: "timeout", takes: "duration", otherwise: "never", help: "Give up after this time" },
];

/** How often a task is polled. */
export const pollInterval: Option = {
  name: "poll-interval",
  takes: "duration",
  fallback: "2s",
  help: "Time between polls; the default grows to 15s",
};

/** Whether events are printed as they arrive. */
export const stream: Option = {
  name: "stream",
  explicit: true,
  help: "Print events as they arrive; with -o json one JSON value per line",
};

/** How many messages of a task's history are requested. */
export const history: Option = {
  name: "history",
  takes: "n",
  help: "Number of messages of the history to request",
};
