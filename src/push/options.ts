import type { StreamResponse } from "../protocol/model.js";
import type { Scope } from "../stores/task-store.js";
import type { PushSigning } from "./signer.js";
import type { UrlRules } from "./url-guard/check-url.js";
import type { Resolver } from "./url-guard/resolver.js";

/** A webhook, as an application gets to know it. */
export interface Webhook {
  readonly scope: Scope;
  readonly taskId: string;
  readonly configId: string;
  readonly url: string;
}

/** A webhook that named an authentication scheme and left the credentials to the agent. */
export interface CredentialRequest extends Webhook {
  /** As its owner wrote it. */
  readonly scheme: string;
}

/** An event that will not be delivered. */
export interface DeadLetter extends Webhook {
  readonly event: StreamResponse;
  readonly generation: number;
  /** Attempts in a row that have failed. */
  readonly failures: number;
  /** Why the last one did, in words for an operator. */
  readonly reason: string;
  /** Nothing more is sent to the webhook; otherwise it goes on with the next event. */
  readonly givenUp: boolean;
}

/** How webhooks are called (§4.3.3). Everything has a default. Times are in seconds. */
export interface PushOptions extends UrlRules {
  /** What is sent: every event of a task, or its beginning and its changes of status (PUSH-08). `"all"` by default. */
  readonly events?: "all" | "status";
  /** Configs that a task may have; 50 by default. */
  readonly maxConfigs?: number;
  /** Configs that an owner may have for all its tasks, in all tenants; 10,000 by default. */
  readonly maxConfigsPerOwner?: number;
  /** Write `***` in place of tokens and credentials when configs are read (OP-PUSH-13). Off by default. */
  readonly maskSecrets?: boolean;
  /** Time for one attempt, from the name lookup to the end of the answer; 10 by default. */
  readonly timeout?: number;
  /** Attempts in a row that may fail before a webhook is given up; 50 by default, about ten minutes (PUSH-11). */
  readonly attempts?: number;
  /** Wait behind the first failure, which doubles with each further one, less some chance; 1 by default. */
  readonly firstDelay?: number;
  /** Longest wait; 20 by default. A webhook that asks for more with `Retry-After` gets up to an hour. */
  readonly maxDelay?: number;
  /**
   * Requests at a time; 128 by default. Half of them are for webhooks that are slow or failing, so that these take no place from
   * the others: a request that takes longer than a second is counted there, or is sent again later when there is no place for it.
   * One IP address (an IPv6 network of 64 bits) gets at most an eighth, and the last quarter of the places of an address, and of
   * all, is for owners that have no request under way.
   */
  readonly concurrency?: number;
  /**
   * Bytes of events that are being sent at a time; 32 MiB by default. Events of up to 16 KiB are not counted. Each queue has half of
   * it, and an owner may exceed that by the one event that it sends: so each event can be sent, whatever its size.
   */
  readonly maxBytes?: number;
  /** Time to send what is still waiting when the server stops, within the grace that `close` is given; 5 by default. */
  readonly drain?: number;
  /** Credentials for webhooks that name a scheme alone (PUSH-05); undefined for those that get none. */
  readonly credentials?: (webhook: CredentialRequest) => string | undefined | Promise<string | undefined>;
  /** Signs every notification with a JWT and serves the public keys (PUSH-17). */
  readonly signing?: PushSigning;
  /** Told of every event that is given up, before the webhook goes on or is given up itself. May be told twice after a crash. */
  readonly onDeadLetter?: (letter: DeadLetter) => void | Promise<void>;
  /** Where addresses of names come from; name servers by default, the operating system with `allowPrivateNetworks`. */
  readonly resolve?: Resolver;
  /** Certificates, as PEM, of authorities that vouch for webhooks in place of the usual ones. */
  readonly ca?: string;
}

/** What {@link settlePush} makes of options: nothing with a default is left open, times are in milliseconds. */
export interface PushSettings
  extends Pick<PushOptions, "credentials" | "onDeadLetter" | "signing">,
    Required<
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

/**
 * Fills in defaults.
 * @throws TypeError naming the option that cannot be right
 */
export function settlePush(options: PushOptions): PushSettings {
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
      throw new TypeError(`push.${name} must be a whole number from 1 on`);
  }
  const seconds = {
    timeout: options.timeout ?? 10,
    firstDelay: options.firstDelay ?? 1,
    maxDelay: options.maxDelay ?? 20,
    drain: options.drain ?? 5,
  };
  for (const [name, value] of Object.entries(seconds)) {
    if (!(value >= 0 && Number.isFinite(value)))
      throw new TypeError(`push.${name} must be seconds from 0 on`);
  }
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
