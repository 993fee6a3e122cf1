import { FLAT_VERSION } from "../versions/version.js";

/** One option of a command. Its name is the long flag, and gives the name of its environment variable. */
export interface Option {
  readonly name: string;
  readonly short?: string;
  /** What it takes, as help shows it; an option without it is a switch. */
  readonly takes?: string;
  /** May be given several times. */
  readonly many?: true;
  readonly help: string;
  /** Value when it is set nowhere. */
  readonly fallback?: string;
  /** Its values are never shown. */
  readonly secret?: true;
  /** Only ever read from the command line. */
  readonly explicit?: true;
  /** The words it can be, for completion. */
  readonly choices?: readonly string[];
}

/** A flag that makes a part of a message, or says more about the one before it. */
export interface PartFlag {
  readonly flag: "text" | "file" | "data" | "media-type";
  readonly value: string;
}

/** Options that every command has. */
export const globalOptions: readonly Option[] = [
  {
    name: "output",
    short: "o",
    takes: "text|json",
    fallback: "text",
    choices: ["text", "json"],
    help: "Format of what is printed",
  },
  { name: "verbose", help: "Show all of what the agent sent" },
  { name: "debug", help: "Tell on stderr what is done, with every request and answer" },
  {
    name: "config",
    takes: "file",
    explicit: true,
    help: "Read settings from this .env file, not the local one",
  },
  { name: "help", short: "h", explicit: true, help: "Show how it is used" },
  { name: "version", short: "v", explicit: true, help: "Print the version" },
];

/** Which agent: the option that nearly every command has. */
export const agentCard: Option = {
  name: "agent-card",
  short: "a",
  takes: "ref",
  help: "The agent: a host, the URL of its card, or a file with its card",
};

/** How a request is sent, and with what. */
export const requestOptions: readonly Option[] = [
  {
    name: "bearer",
    takes: "token",
    secret: true,
    help: "Bearer token; others can read it off the process list",
  },
  { name: "api-key", takes: "key", secret: true, help: "API key; others can read it off the process list" },
  {
    name: "svc-param",
    takes: "name:value",
    many: true,
    secret: true,
    help: "Service parameter of every request, sent as a header",
  },
  { name: "client-cert", takes: "file", help: "Certificate to show to the agent, PEM (mutual TLS)" },
  { name: "client-key", takes: "file", help: "Its key, PEM" },
  {
    name: "ca",
    takes: "file",
    help: "Certificates of the authorities to trust, PEM, in place of the usual ones",
  },
  { name: "insecure", help: "Take any TLS certificate; for development only" },
];

/** Options of commands that call an agent. */
export const callOptions: readonly Option[] = [
  agentCard,
  ...requestOptions,
  {
    name: "transport",
    takes: "binding",
    many: true,
    choices: ["JSONRPC", "HTTP+JSON", "GRPC"],
    help: "Preferred binding, the best first (default: the order of the card)",
  },
  {
    name: "a2a-version",
    takes: "version",
    help: `Protocol version, or ${FLAT_VERSION} (default: the highest that both sides speak)`,
  },
  { name: "a2a-min-version", takes: "version", help: "Oldest protocol version to speak (default: any)" },
  { name: "extension", takes: "uri", many: true, help: "Extension to ask for" },
  {
    name: "allow-origin",
    takes: "origin",
    many: true,
    help: "Origin that may get credentials, besides that of the agent's URL; a card in a file has none",
  },
  { name: "timeout", takes: "duration", help: "Give up after this time (default: never)" },
];

/** How a task is waited for. */
export const pollInterval: Option = {
  name: "poll-interval",
  takes: "duration",
  fallback: "2s",
  help: "Time between questions while waiting",
};

/** Live delivery. */
export const stream: Option = {
  name: "stream",
  explicit: true,
  help: "Print events as they come; with -o json one JSON value per line",
};

/** Older messages of a task. */
export const history: Option = { name: "history", takes: "n", help: "Messages of the history to ask for" };
