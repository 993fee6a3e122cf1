import type { JSONWebKeySet } from "jose";
import { type Clock, systemClock } from "../async/clock.js";
import { everyStep } from "../async/every-step.js";
import type { Observer } from "../observability/observer.js";
import type { Logger } from "../protocol/logger.js";
import type { Task } from "../protocol/model.js";
import type { Lease } from "../stores/lease-store.js";
import { keepsConfigs, type PushRecord, type PushStore } from "../stores/push-store.js";
import type { TaskStore } from "../stores/task-store.js";
import type { Codec } from "../versions/codec.js";
import { DeliveryQueue } from "./delivery-queue.js";
import { type PushOptions, resolvePushOptions } from "./options.js";
import { Outbox } from "./outbox.js";
import { PushConfigRegistry } from "./push-configs.js";
import { Sender } from "./sender.js";
import { Signer } from "./signer.js";
import { UrlGuard } from "./url-guard/url-guard.js";

/** Parameters of {@link openPush}. */
export interface OpenPushOptions {
  readonly options: PushOptions;
  /** Must also implement `PushStore`. */
  readonly store: TaskStore;
  /** Name of the agent in the store. */
  readonly name: string;
  /** Name of this process in the store, and the time after which its claims expire unless it renews them. */
  readonly lease: Lease;
  /** Codecs of all served versions, the newest released one first, if one is served. */
  readonly codecs: ReadonlyMap<string, Codec>;
  /** Longest id of a task or config, in bytes; unbounded by default. */
  readonly maxName?: number;
  readonly logger: Logger;
  readonly observer?: Observer | undefined;
  /** Source of time; the system clock by default. */
  readonly clock?: Clock;
  /** Returns a random number, 0 ≤ n < 1, that spreads the waits between attempts; `Math.random` by default. */
  readonly chance?: () => number;
}

/** Push notifications of one agent. */
export interface Push {
  readonly configs: PushConfigRegistry;
  readonly outbox: Outbox;
  /** Public keys of the signatures, see {@link Signer.keySet}; absent when notifications are not signed. */
  readonly keySet?: () => Promise<JSONWebKeySet>;
  /**
   * Sends what can be sent without a pause, within the time of the option `drain`, and stops.
   * @param milliseconds upper bound on that time; none by default
   */
  close(milliseconds?: number): Promise<void>;
}

/**
 * Creates the registry and the outbox of one agent. Call {@link Outbox.start}: the outbox then also makes the unfinished deliveries that no
 * other process holds.
 * @throws TypeError for invalid options, and when the store keeps no push configs; what the function `signing.keys` throws
 */
export function openPush(parts: OpenPushOptions): Push {
  const { options, name, codecs, logger, observer, clock = systemClock, chance = Math.random } = parts;
  const settings = resolvePushOptions(options);
  const store = pushStore(parts.store);
  const signer = settings.signing && new Signer(settings.signing);
  const { allowHttp, allowPrivateNetworks, allowHosts, resolve, ca } = options;
  const guard = new UrlGuard({ allowHttp, allowPrivateNetworks, allowHosts, resolve, ca, clock });
  const { credentials, timeout } = settings;
  const taskOf = async ({ scope, config }: PushRecord): Promise<Task | undefined> =>
    (await store.load(scope, config.taskId))?.task;
  const sender = new Sender({ guard, codecs, taskOf, credentials, signer, observer, timeout, clock, logger });
  const queue = new DeliveryQueue(settings, clock);
  const outbox = new Outbox(name, parts.lease, { store, sender, queue, settings, clock, logger, chance });
  return {
    configs: new PushConfigRegistry({
      store,
      guard,
      outbox,
      limit: settings.maxConfigs,
      ownerLimit: settings.maxConfigsPerOwner,
      mask: settings.maskSecrets,
      maxName: parts.maxName ?? Number.POSITIVE_INFINITY,
    }),
    outbox,
    ...(signer && { keySet: () => signer.keySet() }),
    async close(milliseconds = Number.POSITIVE_INFINITY) {
      await everyStep([() => outbox.close(milliseconds), () => guard.close()]);
    },
  };
}

function pushStore(store: TaskStore): TaskStore & PushStore {
  if (keepsConfigs(store)) return store;
  throw new TypeError("push: the store cannot keep push configs; use one that implements PushStore");
}
