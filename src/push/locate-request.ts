import { networkOf } from "../net/network-of.js";
import type { PushRecord } from "../stores/push-store.js";
import type { QueuedRequest } from "./delivery-queue.js";
import type { Pending } from "./pending.js";
import type { Sender } from "./sender.js";

/** A request for the queue, and the addresses of its host. */
export interface LocatedRequest {
  readonly request: QueuedRequest;
  /** Undefined when {@link Sender.locate} returns none. */
  readonly addresses: readonly string[] | undefined;
}

/** What {@link locateRequest} works with. */
export interface LocateDeps {
  /** Whether the last attempt to call the webhook failed. */
  readonly isFailing: boolean;
  readonly sender: Pick<Sender, "locate" | "bytesOf">;
  /** Ends the name lookup. */
  readonly signal: AbortSignal;
}

/**
 * Finds what the queue must know about a request: the address that it goes to, and its size.
 * @throws what the store throws when the task has to be loaded for its size
 */
export async function locateRequest(
  record: PushRecord,
  { bytes }: Pending,
  { isFailing, sender, signal }: LocateDeps,
): Promise<LocatedRequest> {
  const addresses = await sender.locate(record, signal);
  const { origin, hostname } = new URL(record.config.url);
  const address = addresses?.[0] === undefined ? hostname : networkOf(addresses[0]);
  const size = await sender.bytesOf(record, bytes);
  return { request: { owner: record.scope.owner, origin, address, bytes: size, isFailing }, addresses };
}
