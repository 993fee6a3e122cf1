import { type Clock, LONGEST_TIMEOUT } from "../../async/clock.js";
import { checkStoreOptions } from "../retention-limits.js";
import type { DatabaseRetention } from "../sql/retention-options.js";
import type { WakeUps } from "../sql/wake-ups.js";

/** Options of a {@link LibsqlStore}. */
export interface LibsqlStoreOptions extends DatabaseRetention {
  /** `libsql://host`, by default HTTPS, or an `https:` or `http:` URL, such as `http://127.0.0.1:8080` of a local `sqld`. */
  readonly url: string;
  /** The token that the server asks for, as from `turso db tokens create`. An `authToken` in the query of `url` takes precedence. */
  readonly authToken?: string | undefined;
  /**
   * Approximate maximum of requests that read at the same time; 20 by default. Requests that write are sent one at a time, as the server
   * executes them, but those of sweeps and those about leases may be sent beside others.
   */
  readonly connections?: number | undefined;
  /**
   * Milliseconds after which an unanswered request fails; 10,000 by default, at most a day. Requests that claim or renew leases on tasks
   * or push configs have a lower limit if the lease is short: a sixth of its duration, but at least 100 ms. Requests of sweeps and
   * migrations have up to six times this value.
   */
  readonly statementTimeout?: number | undefined;
  /**
   * Milliseconds between two polls for changes of other processes, while readers wait or tasks are held; 500 by default. One request asks
   * for up to 1000 tasks. Readers see the changes of their own process immediately.
   */
  readonly pollInterval?: number | undefined;
  /** How processes notify each other of changes, so that readers need not wait for the next poll. By default they only poll. */
  readonly wakeUps?: WakeUps | undefined;
  /** Migrates a new database, or one of an older version, when it is opened; true by default. If false, such a database is refused. */
  readonly migrate?: boolean | undefined;
  /** Approximate memory for cached tasks, in bytes. 64 MiB by default. */
  readonly cacheBytes?: number | undefined;
  /** Source of time; by default the clock of the database, which is the same for all processes. */
  readonly clock?: Clock | undefined;
  /** Sends the requests; by default the `fetch` of the platform. */
  readonly fetch?: typeof fetch | undefined;
}

/** The name of every option. */
const optionNames: Readonly<Record<keyof LibsqlStoreOptions, true>> = {
  ...{ url: true, authToken: true, connections: true, statementTimeout: true, pollInterval: true },
  ...{ wakeUps: true, migrate: true, cacheBytes: true, clock: true, fetch: true },
  ...{ grace: true, ttl: true, maxTasks: true },
};

/** URLs as the last part of an error. */
const EXAMPLES = ", as in libsql://agent-acme.turso.io or http://127.0.0.1:8080";

/** Milliseconds of a day. */
const DAY_MS = 86_400_000;

/**
 * Checks the options.
 * @throws TypeError unless `url` has the scheme `libsql:`, `https:` or `http:`, a valid host and port, and neither user nor fragment; for
 * an `authToken` that is not a string or that a header cannot carry; for a `ttl` that is not an object; for an unknown option or state; for
 * a limit that is not a number or out of its range
 */
export function checkLibsql(options: LibsqlStoreOptions): void {
  checkLibsqlUrl(options?.url);
  checkStoreOptions(options, optionNames);
  const { authToken = "", connections = 1, statementTimeout = 1, pollInterval = 1 } = options;
  if (typeof authToken !== "string" || /[^ -~]/.test(authToken.trim()))
    throw new TypeError("authToken must be a string of printable ASCII characters");
  if (typeof connections !== "number" || !(connections >= 1))
    throw new TypeError(`connections must be a number of at least 1, not ${connections}`);
  checkMilliseconds("statementTimeout", statementTimeout, DAY_MS);
  checkMilliseconds("pollInterval", pollInterval, LONGEST_TIMEOUT);
}

/**
 * Checks that a URL has a known scheme, a valid host and port, and no user, fragment or invalid token, which later errors could contain.
 * @throws TypeError that does not contain the URL, which may have a token
 */
function checkLibsqlUrl(url: unknown): void {
  if (typeof url !== "string" || !/^(libsql|https?):\/\/[^/?#]/i.test(url))
    throw new TypeError(`url must begin with libsql://, https:// or http:// and a host${EXAMPLES}`);
  if (/^[^:]+:\/\/[^/?#]*@|#/.test(url))
    throw new TypeError("url must have no user, password or fragment: pass a token as authToken");
  if (/[?&]authToken=[^&]*([^!-~]|%([0189a-f]|7f))/i.test(url))
    throw new TypeError("the authToken in url must have printable ASCII characters only");
  if (!hasValidHost(url))
    throw new TypeError(`url must have a valid host and, if any, a port of at most 65535${EXAMPLES}`);
}

/** Whether `URL` accepts the host and the port of a URL, as HTTPS. */
function hasValidHost(url: string): boolean {
  // `URL` removes white space, and takes a backslash for the end of the host; the driver encodes both.
  const [, host = " "] = /^[^:]+:\/\/([^/?#\s\\]+)(?:[/?#]|$)/.exec(url) ?? [];
  try {
    return new URL(`https://${host}`).host !== "";
  } catch {
    return false;
  }
}

function checkMilliseconds(name: string, value: unknown, most: number): void {
  if (typeof value !== "number" || !(value > 0 && value <= most))
    throw new TypeError(`${name} must be a number of milliseconds greater than 0, and at most ${most}`);
}
