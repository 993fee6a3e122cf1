import { type A2AError, checkName, invalidParams } from "../protocol/errors.js";
import type { TaskPushNotificationConfig } from "../protocol/model.js";
import { UrlRefused } from "./url-guard/check-url.js";
import type { UrlGuard } from "./url-guard/url-guard.js";

const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** Whether a string is printable ASCII, not empty, and has no spaces at the ends: a header can contain it unchanged (§13.4). */
export function isHeaderText(text: string): boolean {
  return PRINTABLE.test(text);
}

/** Whether a string can name an authentication scheme (RFC 9110, `token`). */
function isSchemeName(text: string): boolean {
  return TOKEN.test(text);
}

/** Longest token, scheme or credentials of a config, in characters. */
const MAX_LENGTH = 4096;

const CONTROL = /\p{Cc}/u;

/** The rules that {@link checkConfig} applies. */
interface ConfigRules {
  readonly guard: UrlGuard;
  /** Longest id, in bytes. */
  readonly maxName: number;
}

/**
 * Checks a push config that is valid by its schema: its id is short enough and has no control characters, its token, scheme and credentials
 * can be sent in headers (§13.4), and the guard accepts its URL (§13.2).
 *
 * @param path path of the config in its request, with a trailing dot; `""` when the config is the whole request
 * @throws A2AError INVALID_PARAMS that names the member, without its value, which may be a secret
 */
export async function checkConfig(
  config: TaskPushNotificationConfig,
  { guard, maxName }: ConfigRules,
  path = "",
): Promise<void> {
  checkName(`${path}id`, config.id, maxName);
  const fault = textFault(config, path);
  if (fault) throw fault;
  try {
    await guard.check(config.url);
  } catch (error) {
    if (error instanceof UrlRefused) throw invalidParams(`${path}url`, error.message);
    throw error;
  }
}

function textFault(
  { id = "", token, authentication }: TaskPushNotificationConfig,
  path: string,
): A2AError | undefined {
  if (CONTROL.test(id)) return invalidParams(`${path}id`, "must have no control characters");
  if (token && !fitsHeader(token)) return invalidParams(`${path}token`, HEADER_TEXT);
  const { scheme, credentials } = authentication ?? {};
  if (scheme !== undefined && (scheme.length > MAX_LENGTH || !isSchemeName(scheme))) {
    return invalidParams(`${path}authentication.scheme`, SCHEME_NAME);
  }
  if (credentials && !fitsHeader(credentials))
    return invalidParams(`${path}authentication.credentials`, HEADER_TEXT);
  return undefined;
}

const SCHEME_NAME = `must be the name of an HTTP authentication scheme of at most ${MAX_LENGTH} characters`;
const HEADER_TEXT = `must fit a header: at most ${MAX_LENGTH} printable ASCII characters, no space at the ends`;

function fitsHeader(text: string): boolean {
  return text.length <= MAX_LENGTH && isHeaderText(text);
}
