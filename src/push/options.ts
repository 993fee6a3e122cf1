import type { Complete } from "../json/omit.js";
import { unknownName } from "../json/unknown-name.js";
import type { StreamResponse } from "../protocol/model.js";
import type { Scope } from "../stores/task-store.js";
import type { PushSigning } from "./signer.js";
import { checkAllowHosts, type UrlRules } from "./url-guard/check-url.js";
import type { Resolver } from "./url-guard/connections.js";

/** A webhook, as the application's hooks receive it. */
export interface Webhook {
  /** Agent, tenant and owner of the task. */
  readonly scope: Scope;
  /** Id of the task. */
  readonly taskId: string;
  /** Id of the push config. */
  readonly configId: string;
  /** URL that is called. It may contain a secret: do not log it. */
  readonly url: string;
}

/** A webhook that names an authentication scheme and leaves the credentials to the agent. */
export interface CredentialRequest extends Webhook {
  /** Scheme of the push config. */
  readonly scheme: string;
}

/**
 * An event that was given up. If its webhook was given up as well, creating a config with the same id again resumes the delivery at this
 * event, unless the config was deleted or the task has ended.
 */
export interface DeadLetter extends Webhook {
  /** The event, in the shape of the newest released version; the current task in place of events that the store no longer holds. */
  readonly event: StreamResponse;
  /** Position of the event in the log of its task: 1, 2, 3 … For a task in place of events, that of the last event that it contains. */
  readonly generation: number;
  /** Consecutive failed attempts to call the webhook, over all its events. */
  readonly failures: number;
  /** Why the last attempt failed, in a sentence for operators. */
  readonly reason: string;
  /**
   * Whether the webhook is given up. If true, it gets no further events unless its config is created again, and `onDeadLetter` is not
   * called for these. If false, the delivery continues with the next event, if there is one.
   */
  readonly givenUp: boolean;
}

/**
 * How push notifications are sent (§4.3.3). All options are optional. Durations are in seconds.
 *
 * @example
 * ```ts
 * serve(agent, { push: { attempts: 20, signing: { issuer: "https://agent.example.com", keys: () => pushKeys } } });
 * ```
 */
export interface PushOptions extends UrlRules {
  /** `"all"` sends every event of a task; `"status"` leaves out artifact updates. `"all"` by default. */
  readonly events?: "all" | "status" | undefined;
  /** Maximum number of configs per task; 50 by default. */
  readonly maxConfigs?: number | undefined;
  /**
   * Maximum number of configs per owner, over all tasks and tenants of the agent; 10,000 by default. In a store for several processes,
   * concurrent requests may exceed it by a few.
   */
  readonly maxConfigsPerOwner?: number | undefined;
  /** Returns `***` in place of tokens and credentials when configs are read (§13.2). Off by default. */
  readonly maskSecrets?: boolean | undefined;
  /** Time for one attempt, and as much for the name lookup before it; above 0, and 10 by default (§4.3.3). */
  readonly timeout?: number | undefined;
  /**
   * Consecutive failed attempts after which a webhook is given up; 50 by default (§4.3.3). With the default delays, and without
   * `Retry-After`, the waits between 50 attempts are about eleven minutes in total.
   */
  readonly attempts?: number | undefined;
  /**
   * Wait after the first failure; 1 by default. It doubles with each further failure, up to `maxDelay`, and is shortened by up to half at
   * random.
   */
  readonly firstDelay?: number | undefined;
  /** Longest wait; 20 by default. A webhook can ask for more with `Retry-After`, up to an hour. */
  readonly maxDelay?: number | undefined;
  /**
   * Maximum number of concurrent requests of the agent in one process; 128 by default. An odd number is rounded up. Half of them are
   * reserved for slow or failing webhooks, so that these hardly delay the others: a request that takes longer than a second moves to that
   * half or, when that half has no room for it, is aborted and sent again later.
   * One IP address (or IPv6 /64 network) gets at most an eighth of all requests, rounded up, in each half; a request to a name with several
   * addresses counts for the first one. In each half, and in the share of each address, the last quarter, rounded down, is reserved for
   * owners that have no request in flight there.
   */
  readonly concurrency?: number | undefined;
  /**
   * Maximum size in bytes, by an estimate, of all notifications that the agent is sending in one process; 32 MiB by default. Notifications
   * of up to 16 KiB do not count.
   * Each half of `concurrency` gets half of the bytes, and may exceed it by one notification, so that one of any size can be sent.
   * In each half, the last quarter of the bytes, rounded down, is reserved for owners that have no such notification in flight there.
   */
  readonly maxBytes?: number | undefined;
  /** Time to send waiting events when the server stops, at most what is left of the grace passed to `close`; 5 by default. */
  readonly drain?: number | undefined;
  /**
   * Returns the credentials for a webhook that names only a scheme (§4.3.3); undefined to send none. Called anew for every attempt. If it
   * throws, or the credentials are not printable ASCII without spaces at the ends, the error is logged, and the attempt counts as failed.
   */
  readonly credentials?:
    | ((webhook: CredentialRequest) => string | undefined | Promise<string | undefined>)
    | undefined;
  /** Signs every notification with a JWT and publishes the public keys at `/.well-known/jwks.json` below the agent's URL. */
  readonly signing?: PushSigning | undefined;
  /**
   * Called when an event is given up after an attempt to send it. The next event waits until the function is done, for at most `timeout`.
   * If it throws or takes longer, the error is logged, and the event is given up nevertheless. The function is not called again because of
   * that, but it may be called again for the same event after a crash, for example.
   */
  readonly onDeadLetter?: ((letter: DeadLetter) => void | Promise<void>) | undefined;
  /** Resolves host names, like the option `resolve` of `UrlGuard` and with the same default. */
  readonly resolve?: Resolver | undefined;
  /** Certificates of authorities (PEM) to trust for webhooks instead of the usual ones. */
  readonly ca?: string | undefined;
}

/** {@link PushOptions} with their defaults, without those of the URL guard. Durations are in milliseconds. */
export interface PushSettings
  extends Pick<PushOptions, "credentials" | "onDeadLetter" | "signing">,
    Complete<
      Pick<
        PushOptions,
        | "events"
        | "maxConfigs"
        | "maxConfigsPerOwner"
        | "maskSecrets"
        | "attempts"
        | "concurrency"
        | "maxBytes"
      >
    > {
  readonly timeout: number;
  readonly firstDelay: number;
  readonly maxDelay: number;
  readonly drain: number;
}

/** The name of every option. */
const names: Readonly<Record<keyof PushOptions, true>> = {
  ...{ allowHttp: true, allowPrivateNetworks: true, allowHosts: true, resolve: true, ca: true, events: true },
  ...{ maxConfigs: true, maxConfigsPerOwner: true, maskSecrets: true, timeout: true, attempts: true },
  ...{
    firstDelay: true,
    maxDelay: true,
    concurrency: true,
    maxBytes: true,
    drain: true,
    credentials: true,
    signing: true,
  },
  ...{ onDeadLetter: true },
};

/**
 * Checks options and fills in defaults.
 * @throws TypeError that names the invalid option
 */
export function resolvePushOptions(options: PushOptions): PushSettings {
  const unknown = unknownName(options, names, "push");
  if (unknown !== undefined) throw new TypeError(unknown);
  checkTypes(options);
  const { credentials, onDeadLetter, signing } = options;
  const counts = {
    maxConfigs: options.maxConfigs ?? 50,
    maxConfigsPerOwner: options.maxConfigsPerOwner ?? 10_000,
    attempts: options.attempts ?? 50,
    concurrency: options.concurrency ?? 128,
    maxBytes: options.maxBytes ?? 32 * 1024 * 1024,
  };
  for (const [name, value] of Object.entries(counts)) {
    if (!Number.isInteger(value) || value < 1)
      throw new TypeError(`push.${name} must be a whole number of at least 1`);
  }
  const seconds = {
    timeout: options.timeout ?? 10,
    firstDelay: options.firstDelay ?? 1,
    maxDelay: options.maxDelay ?? 20,
    drain: options.drain ?? 5,
  };
  for (const [name, value] of Object.entries(seconds)) {
    if (!(value >= 0 && Number.isFinite(value)))
      throw new TypeError(`push.${name} must be a finite number of seconds, 0 or more`);
  }
  if (seconds.timeout === 0) throw new TypeError("push.timeout must be a finite number of seconds above 0");
  const { events = "all" } = options;
  if (events !== "all" && events !== "status") throw new TypeError('push.events must be "all" or "status"');
  return {
    ...counts,
    events,
    maskSecrets: options.maskSecrets ?? false,
    timeout: seconds.timeout * 1000,
    firstDelay: seconds.firstDelay * 1000,
    maxDelay: seconds.maxDelay * 1000,
    drain: seconds.drain * 1000,
    ...(credentials && { credentials }),
    ...(onDeadLetter && { onDeadLetter }),
    ...(signing && { signing }),
  };
}

/** Checks types, for programs in JavaScript: `allowHttp: "false"` would switch a protection off. */
function checkTypes(options: PushOptions): void {
  for (const name of ["allowHttp", "allowPrivateNetworks", "maskSecrets"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "boolean")
      throw new TypeError(`push.${name} must be true or false`);
  }
  for (const name of ["credentials", "onDeadLetter", "resolve"] as const) {
    if (options[name] !== undefined && typeof options[name] !== "function")
      throw new TypeError(`push.${name} must be a function`);
  }
  checkAllowHosts("push.allowHosts", options.allowHosts);
}
