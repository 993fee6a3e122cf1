import { callHook } from "../async/hook.js";
import type { Logger } from "../protocol/logger.js";
import type { TraceContext } from "../protocol/trace-context.js";
import type { PushConfig, PushRecord } from "../stores/push-store.js";
import type { CredentialHeader } from "../versions/codec.js";
import { isHeaderText } from "./check-config.js";
import type { PushOptions, Webhook } from "./options.js";
import type { Signer } from "./signer.js";

/** Header names that belong to more than one side of a delivery, in lower case. */
export const headers = {
  /** The config's token, under the two names in use (PUSH-06). */
  tokens: ["x-a2a-notification-token", "a2a-notification-token"],
  /** The signature, when `Authorization` holds the credentials that the webhook's owner gave. */
  signature: "a2a-notification-signature",
  /** Number of the event in its task's log: lets a receiver tell a repetition from a new event. */
  generation: "a2a-notification-generation",
} as const;

/** A notification that is to be sent. */
export interface Notification {
  readonly record: PushRecord;
  readonly generation: number;
  readonly body: string;
  /** Media type of the body. */
  readonly mediaType: string;
  /** Where credentials go, when the version of the webhook has its own way. */
  readonly credentialHeader?: CredentialHeader | undefined;
  /** Where the request stands in a trace (SVC-08). */
  readonly trace?: TraceContext | undefined;
}

/** Where what is not in the config comes from. */
export interface HeaderSources {
  readonly credentials?: PushOptions["credentials"];
  readonly signer?: Signer | undefined;
  readonly logger: Logger;
  readonly now: () => number;
}

/**
 * The headers of one attempt (PUSH-03 to PUSH-06, PUSH-17). `Authorization` holds what the owner of the webhook gave, else
 * what the agent's own provider has for that scheme, else the signature.
 */
export async function headersFor(
  notification: Notification,
  sources: HeaderSources,
): Promise<Record<string, string>> {
  const { record, generation, body, mediaType, trace, credentialHeader = inAuthorization } = notification;
  const { token, url, taskId, authentication } = record.config;
  const given = await credentialsFor(record, sources);
  const { signer } = sources;
  const signed = { audience: url, taskId, generation, body, now: sources.now() };
  const jwt = signer && (await ask("push.signing", () => signer.sign(signed), record, sources));
  const isFree = given === undefined && /^(bearer)?$/i.test(authentication?.scheme ?? "");
  if (authentication && given === undefined && !(isFree && jwt)) {
    sources.logger.warn(factsOf(record), "A webhook names a scheme, but there are no credentials for it");
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

/** What a log is told of a webhook. Its URL may hold a secret (PUSH-18). */
export function factsOf({ config: { taskId, id: configId } }: PushRecord): object {
  return { taskId, configId };
}

/** What an application is told of a webhook: all but its secrets. */
export function webhookOf({ scope, config: { taskId, id: configId, url } }: PushRecord): Webhook {
  return { scope, taskId, configId, url };
}

const inAuthorization: CredentialHeader = ({ scheme }, credentials) => ({
  Authorization: `${scheme} ${credentials}`,
});

/** A function of the application could not say what a request needs. */
export class HookFailed extends Error {
  override readonly name = "HookFailed";

  constructor(hook: string, cause: Error) {
    super(`The hook ${hook} failed`, { cause });
  }
}

/**
 * Asks a hook for a part of the request.
 * @throws HookFailed
 */
function ask<Part>(
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
  const { scheme } = authentication;
  const { credentials: find } = sources;
  const request = { ...webhookOf(record), scheme };
  const credentials =
    authentication.credentials ||
    (find && (await ask("push.credentials", () => find(request), record, sources)));
  if (!credentials) return undefined;
  if (isHeaderText(credentials)) return credentials;
  throw new TypeError("The credentials for a webhook cannot be written into a header");
}
