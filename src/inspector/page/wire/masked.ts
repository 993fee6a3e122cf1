import { signal } from "@preact/signals";
import { replaceStrings } from "../../../json/json-string.js";
import type { AgentCard } from "../../../protocol/model.js";
import type { HeaderField } from "../../api.js";
import type { WireExchange } from "./wire-exchange.js";

/** What a secret is shown as. */
const MASK = "••••••";

/** Headers that always carry secrets. */
const secretHeaders = /^(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key|api-key)$/i;
/** Members of forms and answers of issuers that are secrets (RFC 6749). */
const secretMembers =
  /((?:^|[?&"])(?:client_secret|code|code_verifier|refresh_token|access_token|id_token|device_code|password|assertion)"?\s*[=:]\s*"?)([^&"\s]+)/g;
/** Names of operations and members, in every version, by which an exchange has push configs. */
const aboutPushConfigs = /push_?notification/i;
/** What precedes a secret of a push config. */
const pushSecrets = /"(?:token|credentials)"\s*:\s*"/g;
/** The same in the flat dialect, whose {@link flatCredentials} have the secret in a member `value`. */
const flatPushSecrets = /"(?:token|credentials|value)"\s*:\s*"/g;
/** Name of the credentials of a push config in the flat dialect. */
const flatCredentials = /"authentication_?info"/i;

/** Names of API keys that the card of the open agent describes. */
const keyNames = signal<ReadonlySet<string>>(new Set());

/** Notes where a card says that API keys are sent. */
export function noteKeyNames({ securitySchemes = {} }: Pick<AgentCard, "securitySchemes">): void {
  const names = Object.values(securitySchemes).flatMap(({ apiKeySecurityScheme: key }) => key?.name ?? []);
  keyNames.value = new Set(names.map((name) => name.toLowerCase()));
}

/** A header without its secret. The scheme of an `Authorization` stays. */
export function maskedHeader([name, value]: HeaderField): HeaderField {
  if (!secretHeaders.test(name) && !keyNames.value.has(name.toLowerCase())) return [name, value];
  const [scheme, rest] = value.split(" ");
  return [name, rest === undefined ? MASK : `${scheme} ${MASK}`];
}

/** A URL without the API keys in its query. */
export function maskedUrl(url: string): string {
  const parsed = new URL(url);
  for (const name of [...parsed.searchParams.keys()])
    if (keyNames.value.has(name.toLowerCase())) parsed.searchParams.set(name, MASK);
  return parsed.href === url ? url : decodeURI(parsed.href);
}

/** Whether an exchange is one with an issuer of tokens: its bodies have secrets. */
function isWithIssuer({ requestHeaders }: WireExchange): boolean {
  return requestHeaders.some(
    ([name, value]) =>
      name.toLowerCase() === "content-type" && value.startsWith("application/x-www-form-urlencoded"),
  );
}

/** Whether an exchange creates, changes or reads push configs, or sends a message with one. */
function hasPushConfigs({ url, requestBody = "" }: WireExchange): boolean {
  return aboutPushConfigs.test(url) || aboutPushConfigs.test(requestBody);
}

/** A body of an exchange without the secrets of OAuth and of push configs. */
export function maskedBody(text: string, exchange: WireExchange): string {
  if (isWithIssuer(exchange)) return text.replace(secretMembers, `$1${MASK}`);
  if (!hasPushConfigs(exchange)) return text;
  return replaceStrings(text, flatCredentials.test(text) ? flatPushSecrets : pushSecrets, MASK);
}
