import { callHook } from "../async/hook.js";
import type { Logger } from "../protocol/logger.js";
import type { TraceContext } from "../protocol/trace-context.js";
import type { PushConfig, PushRecord } from "../stores/push-store.js";
import type { CredentialHeader } from "../versions/codec.js";
import { isHeaderText } from "./check-config.js";
import type { PushOptions, Webhook } from "./options.js";
import type { Signer } from "./signer.js";

/** Header names that both sender and receiver use, in lower case. */
export const headers = {
  /** The two header names in use for the token of a config. */
  tokens: ["x-a2a-notification-token", "a2a-notification-token"],
  /** The signature, when the request has credentials or the config names a scheme other than Bearer. */
  signature: "a2a-notification-signature",
  /** Number of the event in the log of its task. Receivers use it to recognize repetitions. */
  generation: "a2a-notification-generation",
} as const;

/** A notification to send. */
export interface Notification {
  readonly record: PushRecord;
  readonly generation: number;
  readonly body: string | Uint8Array;
  /** Media type of the body. */
  readonly mediaType: string;
  /** Writes the credentials into headers; by default into `Authorization`. */
  readonly credentialHeader?: CredentialHeader | undefined;
  /** Trace context of the request. */
  readonly trace?: TraceContext | undefined;
}

/** What {@link notificationHeaders} needs besides the notification. */
export interface HeaderSources {
  readonly credentials?: PushOptions["credentials"];
  readonly signer?: Signer | undefined;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * Creates the headers of one request (§4.3.3). `Authorization`, or the header that `credentialHeader` chooses, has the credentials of the
 * config, or else those that the agent's `credentials` hook returns for its scheme. Without either, it has the signature, unless the config
 * names a scheme other than Bearer. In all other cases the signature has a header of its own.
 * @throws HookFailed when the signature or a hook of the application fails, also by returning credentials that cannot be sent in a header;
 * TypeError when those of the config cannot
 */
export async function notificationHeaders(
  notification: Notification,
  sources: HeaderSources,
): Promise<Record<string, string>> {
  const { record, generation, body, mediaType, trace, credentialHeader = inAuthorization } = notification;
  const { token, url, taskId, authentication } = record.config;
  const given = await credentialsFor(record, sources);
  const { signer } = sources;
  const signed = { audience: url, taskId, generation, body, now: sources.now() };
  const jwt = signer && (await callSource("push.signing", () => signer.sign(signed), record, sources));
  const isFree = given === undefined && /^(bearer)?$/i.test(authentication?.scheme ?? "");
  if (authentication && given === undefined && !(isFree && jwt)) {
    sources.logger.warn(factsOf(record), "A webhook names a scheme for which there are no credentials");
  }
  return {
    "Content-Type": mediaType,
    "User-Agent": "a2a-parley",
    [headers.generation]: String(generation),
    ...trace,
    ...(token && Object.fromEntries(headers.tokens.map((name) => [name, token]))),
    ...(authentication && given !== undefined && credentialHeader(authentication, given)),
    ...(jwt !== undefined &&
      (isFree
        ? credentialHeader({ ...authentication, scheme: "Bearer" }, jwt)
        : { [headers.signature]: jwt })),
  };
}

/** The fields that identify a webhook in log lines. The URL is omitted because it may contain a secret (§13.2). */
export function factsOf({ config: { taskId, id: configId } }: PushRecord): object {
  return { taskId, configId };
}

/** The webhook as the application's hooks receive it: without token and credentials. Its URL may contain a secret. */
export function webhookOf({ scope, config: { taskId, id: configId, url } }: PushRecord): Webhook {
  return { scope, taskId, configId, url };
}

const inAuthorization: CredentialHeader = ({ scheme }, credentials) => ({
  Authorization: `${scheme} ${credentials}`,
});

/** Thrown when a part of the request is missing because a hook of the application or the signature failed. */
export class HookFailed extends Error {
  override readonly name = "HookFailed";

  constructor(hook: string, cause: Error) {
    super(`The option ${hook} could not provide its part of the request`, { cause });
  }
}

/**
 * Calls a hook or the signer for a part of the request.
 * @throws HookFailed
 */
function callSource<Part>(
  hook: string,
  call: () => Part | Promise<Part>,
  record: PushRecord,
  { logger }: HeaderSources,
): Part | Promise<Part> {
  return callHook<Part>({ call }, (err) => {
    logger.error({ err, hook, ...factsOf(record) }, "A hook failed");
    throw new HookFailed(hook, err);
  });
}

async function credentialsFor(record: PushRecord, sources: HeaderSources): Promise<string | undefined> {
  const { authentication }: PushConfig = record.config;
  if (authentication === undefined) return undefined;
  const { scheme, credentials } = authentication;
  if (credentials) return headerText(credentials);
  const { credentials: find } = sources;
  if (find === undefined) return undefined;
  const request = { ...webhookOf(record), scheme };
  const call = async () => headerText((await find(request)) || undefined);
  return callSource("push.credentials", call, record, sources);
}

/**
 * Returns credentials that can be sent.
 * @throws TypeError without the credentials
 */
function headerText(credentials: string | undefined): string | undefined {
  if (credentials === undefined || isHeaderText(credentials)) return credentials;
  throw new TypeError(
    "The credentials for a webhook cannot be sent in a header: use printable ASCII without spaces at the ends",
  );
}
