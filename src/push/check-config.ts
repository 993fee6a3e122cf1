import { type A2AError, checkName, invalidParams } from "../protocol/errors.js";
import type { TaskPushNotificationConfig } from "../protocol/model.js";
import { UrlRefused } from "./url-guard/check-url.js";
import type { UrlGuard } from "./url-guard/url-guard.js";

const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** Whether a string is a valid header value as it is: printable ASCII without leading or trailing spaces (§13.4). */
export function isHeaderText(text: string): boolean {
  return PRINTABLE.test(text);
}

/** Whether a string can name an authentication scheme (RFC 9110, `token`). */
function isSchemeName(text: string): boolean {
  return TOKEN.test(text);
}

/** Longest token, scheme or credentials of a config, in characters. The guard limits the URL. */
const MAX_SECRET = 4096;

const CONTROL = /\p{Cc}/u;

/** The rules that {@link checkConfig} applies. */
interface ConfigRules {
  readonly guard: UrlGuard;
  /** Longest id, in bytes. */
  readonly maxName: number;
}

/**
 * Checks a push config by the rules that the schema cannot express: its id is short enough and has no control characters, its strings are
 * valid in the headers that carry them (§13.4), and its URL may be called (§13.2).
 *
 * @param path path of the config in its request, with a trailing dot; `""` when the config is the whole request
 * @throws A2AError INVALID_PARAMS that names the member and never its value, which may be a secret
 */
export async function checkConfig(
  config: TaskPushNotificationConfig,
  { guard, maxName }: ConfigRules,
  path = "",
): Promise<void> {
  checkName(`${path}id`, config.id, maxName);
  const fault = headerFault(config, path);
  if (fault) throw fault;
  try {
    await guard.check(config.url);
  } catch (error) {
    if (error instanceof UrlRefused) throw invalidParams(`${path}url`, error.message);
    throw error;
  }
}

function headerFault(
  { id = "", token, authentication }: TaskPushNotificationConfig,
  path: string,
): A2AError | undefined {
  if (CONTROL.test(id)) return invalidParams(`${path}id`, "must have no control characters");
  if (token && !isSecret(token)) return invalidParams(`${path}token`, HEADER_TEXT);
  const { scheme, credentials } = authentication ?? {};
  if (scheme !== undefined && (scheme.length > MAX_SECRET || !isSchemeName(scheme))) {
    return invalidParams(`${path}authentication.scheme`, SCHEME_NAME);
  }
  if (credentials && !isSecret(credentials))
    return invalidParams(`${path}authentication.credentials`, HEADER_TEXT);
  return undefined;
}

const SCHEME_NAME = `must be the name of an HTTP authentication scheme of at most ${MAX_SECRET} characters`;
const HEADER_TEXT = `must fit a header: at most ${MAX_SECRET} printable ASCII characters, no space at the ends`;

function isSecret(text: string): boolean {
  return text.length <= MAX_SECRET && isHeaderText(text);
}
