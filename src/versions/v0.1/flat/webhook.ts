import { omitUndefined } from "../../../json/omit.js";
import { invalidParams } from "../../../protocol/errors.js";
import type { AuthenticationInfo, TaskPushNotificationConfig } from "../../../protocol/model.js";
import type { UntypedObject } from "../../card-interfaces.js";
import type { CredentialHeader } from "../../codec.js";
import { camelCased } from "../../translation.js";

/** Credentials of a webhook call, and their header. */
type Credentials = AuthenticationInfo & { readonly headerName?: string };

/** A webhook with the members of this dialect that the model does not have. They are stored like unknown members. */
type Webhook = TaskPushNotificationConfig & {
  readonly eventTypes?: readonly string[];
  readonly authentication?: Credentials;
};

/** Headers that a caller may choose for credentials, except those with a {@link RESERVED} prefix, which have other uses. */
const ALLOWED = /^(?:authorization|x-[a-z\d-]+|(?:[a-z\d]+-)*(?:key|token|secret))$/i;
const RESERVED = /^(?:x-)?(?:a2a|forwarded|http|proxy|real|sec)-/i;

const EXPECTED =
  "must be Authorization, X-…, or a header whose last word is Key, Token or Secret; at most 100 characters; without the prefixes A2A-, Forwarded-, HTTP-, Proxy-, Real- and Sec-, also after X-";

/**
 * Adds the dialect's own members to a webhook that was read in terms of the model.
 * @param member the member of the parameters that contains the webhook
 * @throws A2AError INVALID_PARAMS for a header that callers must not name
 */
export function withOwnMembers(
  config: TaskPushNotificationConfig,
  params: UntypedObject,
  member: "pushNotification" | "pushNotificationConfig",
): TaskPushNotificationConfig {
  const { eventTypes, authenticationInfo } = camelCased(params[member]);
  const { authentication } = config;
  const webhook: Webhook = {
    ...config,
    ...(areTexts(eventTypes) && { eventTypes }),
    ...(authentication && { authentication: { ...authentication, ...headerIn(authenticationInfo, member) } }),
  };
  return webhook;
}

function headerIn(value: unknown, member: string): { headerName?: string } {
  const { headerName } = camelCased(value);
  if (headerName === undefined || headerName === null) return {};
  const isAllowed = typeof headerName === "string" && headerName.length <= 100 && ALLOWED.test(headerName);
  // The model has no such member, so the violation has the path in the request.
  if (!isAllowed || RESERVED.test(headerName))
    throw invalidParams(`${member}.authenticationInfo.headerName`, EXPECTED);
  return { headerName };
}

/** Whether a value is a short list of short strings. Other values of `eventTypes` are dropped. */
function areTexts(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.length <= 20 &&
    value.every((one) => typeof one === "string" && one.length <= 100)
  );
}

/** A webhook without its task id. */
export function encodeWebhook({ url, authentication, eventTypes }: Webhook): object {
  const { scheme, credentials: value, headerName } = authentication ?? {};
  return {
    webhookUrl: url,
    ...(scheme && { authenticationInfo: omitUndefined({ scheme, value: value || undefined, headerName }) }),
    ...(eventTypes && { eventTypes }),
  };
}

/** The prefix of credentials by scheme; other schemes have none. */
const prefixes: ReadonlyMap<string, string> = new Map([
  ["bearer", "Bearer "],
  ["token", "Token "],
]);

/** Writes credentials into the header that the webhook names, by default `Authorization`. */
export const credentialHeader: CredentialHeader = (authentication, credentials) => {
  const { scheme, headerName = "Authorization" }: Credentials = authentication;
  return { [headerName]: (prefixes.get(scheme.toLowerCase()) ?? "") + credentials };
};
