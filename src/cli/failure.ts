import { CardSignatureError } from "../card/card-signature-error.js";
import { ClientError, type ClientErrorCode } from "../client/client-error.js";
import { RemoteError } from "../client/remote-error.js";
import { errors } from "../protocol/errors.js";
import { CardError } from "../server/card-error.js";
import { callableVersions, optInVersions } from "../versions/client-codecs.js";

/** Exit codes: 0 when the command succeeded, whatever the outcome of the task; the others say why it failed. */
export const exits = {
  done: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  auth: 4,
  timeout: 5,
  version: 6,
  interrupted: 130,
};

/** Exit codes of failures that the protocol does not define. The command-line contract defines A2ACLI_…, this tool PARLEY_…. */
export const localExits = {
  A2ACLI_ERR_USAGE: exits.usage,
  A2ACLI_ERR_CARD_NOT_FOUND: exits.unreachable,
  A2ACLI_ERR_CARD_INVALID: exits.failed,
  A2ACLI_ERR_UNREACHABLE: exits.unreachable,
  A2ACLI_ERR_CREDENTIALS_MISSING: exits.auth,
  A2ACLI_ERR_AUTH_FAILED: exits.auth,
  A2ACLI_ERR_TIMEOUT: exits.timeout,
  A2ACLI_ERR_INTERNAL: exits.failed,
  PARLEY_ERR_SIGNATURE: exits.failed,
  PARLEY_ERR_DATABASE: exits.failed,
  PARLEY_ERR_FILE: exits.failed,
  PARLEY_ERR_STALE: exits.failed,
  PARLEY_ERR_NOT_CONFORMING: exits.failed,
  PARLEY_ERR_DIFFERENT: exits.failed,
  PARLEY_ERR_INTERRUPTED: exits.interrupted,
};

/** Errors of the protocol with their own exit code; the others exit with 1. */
const protocolExits: Readonly<Record<string, number>> = {
  [errors.VERSION_NOT_SUPPORTED.name]: exits.version,
};

/** Code of a local failure. */
export type LocalCode = keyof typeof localExits;

/** Why a command failed, as it is reported: the error envelope of the command-line contract and an exit code. */
export class Failure extends Error {
  override readonly name = "Failure";
  /** Name of the protocol's error, or a {@link LocalCode}. */
  readonly code: string;
  readonly exit: number;
  /** How to fix it. */
  readonly hint: string | undefined;
  /** Error number of the protocol. */
  readonly a2aCode: number | undefined;
  /** Whether the printed payload already contains the failure. */
  readonly isShown: boolean;

  constructor(code: string, message: string, more: FailureOptions = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.exit = isLocal(code) ? localExits[code] : (protocolExits[code] ?? exits.failed);
    this.hint = more.hint;
    this.a2aCode = more.a2aCode;
    this.isShown = more.isShown ?? false;
  }
}

interface FailureOptions {
  readonly hint?: string | undefined;
  readonly a2aCode?: number | undefined;
  readonly isShown?: boolean;
  readonly cause?: unknown;
}

function isLocal(code: string): code is LocalCode {
  return Object.hasOwn(localExits, code);
}

/** The failure of an invalid command line. */
export function usage(message: string, hint?: string): Failure {
  return new Failure("A2ACLI_ERR_USAGE", message, { hint });
}

/** Adds a hint to a failure that has none, such as how to continue after `--timeout`. Other errors are returned unchanged. */
export function withHint(thrown: unknown, hint: string): unknown {
  if (!(thrown instanceof Failure) || thrown.hint !== undefined) return thrown;
  return new Failure(thrown.code, thrown.message, { hint, a2aCode: thrown.a2aCode, cause: thrown });
}

/** The failure of a file that cannot be used. */
export function fileFailure(message: string, cause?: unknown): Failure {
  return new Failure("PARLEY_ERR_FILE", cause instanceof Error ? `${message}: ${cause.message}` : message, {
    cause,
  });
}

/** What is known about a command when it fails. */
export interface FailureContext {
  /** Whether credentials were given. */
  readonly hasCredentials: boolean;
}

/** Converts any thrown value to a failure of the command. */
export function failureOf(thrown: unknown, context: FailureContext): Failure {
  if (thrown instanceof Failure) return thrown;
  if (thrown instanceof RemoteError) return remoteFailure(thrown, context);
  if (thrown instanceof ClientError) return clientFailure(thrown);
  if (thrown instanceof CardSignatureError) {
    return new Failure("PARLEY_ERR_SIGNATURE", thrown.message, { cause: thrown });
  }
  if (thrown instanceof CardError)
    return new Failure("A2ACLI_ERR_CARD_INVALID", thrown.message, { cause: thrown });
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new Failure("A2ACLI_ERR_INTERNAL", message, { cause: thrown });
}

function remoteFailure(error: RemoteError, { hasCredentials }: FailureContext): Failure {
  const { code, message } = error;
  const a2aCode = error.jsonRpcCode ?? error.httpStatus;
  if (code === "UNAUTHENTICATED" || code === "PERMISSION_DENIED") {
    const isMissing = code === "UNAUTHENTICATED" && !hasCredentials;
    const local: LocalCode = isMissing ? "A2ACLI_ERR_CREDENTIALS_MISSING" : "A2ACLI_ERR_AUTH_FAILED";
    return new Failure(local, message, { a2aCode, cause: error, hint: isMissing ? CREDENTIALS : undefined });
  }
  const name = code === "UNKNOWN" || code === "BAD_REQUEST" ? "A2ACLI_ERR_INTERNAL" : errors[code].name;
  return new Failure(name, message, { a2aCode, cause: error, hint: hints[code] ?? EXCHANGE });
}

const CREDENTIALS =
  "set A2ACLI_BEARER or A2ACLI_API_KEY, or log in with `parley auth login`; `parley card get` shows what the agent accepts";

const EXCHANGE = "--debug shows the exchange with the agent";

const hints: Readonly<Record<string, string>> = {
  TASK_NOT_FOUND: "`parley task list` shows the tasks you may see; --debug shows the exchange",
  TASK_NOT_CANCELABLE: "`parley task get <taskId>` shows how the task ended",
  UNSUPPORTED_OPERATION: "`parley card get` shows what the agent offers; --debug shows the exchange",
  PUSH_NOTIFICATION_NOT_SUPPORTED: "follow the task with `parley task get <taskId> --wait`",
  VERSION_NOT_SUPPORTED: `parley speaks ${callableVersions.filter((version) => !optInVersions.has(version)).join(", ")}; \`parley card get\` shows the versions of the agent, --a2a-version chooses one`,
};

/** Code of each client error on the command line: that of the protocol if it has one. */
const clientCodes: Readonly<Record<ClientErrorCode, string>> = {
  INVALID_OPTION: "A2ACLI_ERR_USAGE",
  INVALID_REQUEST: "A2ACLI_ERR_USAGE",
  CAPABILITY_MISSING: errors.UNSUPPORTED_OPERATION.name,
  CREDENTIALS_MISSING: "A2ACLI_ERR_CREDENTIALS_MISSING",
  ORIGIN_NOT_ALLOWED: "A2ACLI_ERR_USAGE",
  EXTENSION_REQUIRED: errors.EXTENSION_SUPPORT_REQUIRED.name,
  NO_INTERFACE: "A2ACLI_ERR_INTERNAL",
  CARD_UNAVAILABLE: "A2ACLI_ERR_CARD_NOT_FOUND",
  CARD_INVALID: "A2ACLI_ERR_CARD_INVALID",
  UNREACHABLE: "A2ACLI_ERR_UNREACHABLE",
  CONNECTION_LOST: "A2ACLI_ERR_UNREACHABLE",
  // A limit of the client, not of --timeout: the agent does not answer.
  TIMEOUT: "A2ACLI_ERR_UNREACHABLE",
  REDIRECTED: "A2ACLI_ERR_INTERNAL",
  INVALID_RESPONSE: errors.INVALID_AGENT_RESPONSE.name,
  RESPONSE_TOO_LARGE: "A2ACLI_ERR_INTERNAL",
  STREAM_GAP: "A2ACLI_ERR_INTERNAL",
};

const clientHints: Partial<Record<ClientErrorCode, string>> = {
  CREDENTIALS_MISSING: CREDENTIALS,
  ORIGIN_NOT_ALLOWED: "--allow-origin <origin> permits sending credentials and service parameters to it",
  EXTENSION_REQUIRED: "--extension <uri> declares that you support it",
  CARD_UNAVAILABLE: "--agent-card takes a host, the URL of a card or a file",
  UNREACHABLE: "check that the agent is running and that the address is right",
};

function clientFailure(error: ClientError): Failure {
  const isPush = error.code === "CAPABILITY_MISSING" && error.expected?.includes("pushNotifications");
  const isVersion = error.code === "NO_INTERFACE" && error.field?.endsWith("protocolVersion");
  const named = isPush
    ? errors.PUSH_NOTIFICATION_NOT_SUPPORTED
    : isVersion
      ? errors.VERSION_NOT_SUPPORTED
      : undefined;
  const hint = isVersion ? hints.VERSION_NOT_SUPPORTED : clientHints[error.code];
  return new Failure(named?.name ?? clientCodes[error.code], error.message, { cause: error, hint });
}
