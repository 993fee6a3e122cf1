import { valueSize } from "../json/value-size.js";
import { networkOf } from "../net/network-of.js";
import type { Principal } from "../protocol/call-context.js";
import type { HostRequest } from "./host.js";
import type { ReceivedBytes } from "./received-bytes.js";

/** Maximum length in bytes of a body that is not counted. The limit on connections bounds the number of such bodies. */
const SMALL = 1024;

type Identify = (request: HostRequest) => Promise<Principal>;

/**
 * Counts the memory that a request takes while its caller is being identified, because an identity provider may take long.
 * @returns a function that identifies the caller of a request with this JSON value. It rejects with what `identify` rejects with, and with
 *   RATE_LIMITED or UNAVAILABLE when requests hold too much
 */
export function countWaiting(
  identify: Identify,
  received: ReceivedBytes,
): (request: HostRequest, value: unknown) => Promise<Principal> {
  const counted = async (request: HostRequest, value: unknown): Promise<Principal> => {
    const held = received.hold(networkOf(request.address));
    try {
      held.add(valueSize(value));
      return await identify(request);
    } finally {
      held.release();
    }
  };
  return (request, value) => (isSmall(request) ? identify(request) : counted(request, value));
}

function isSmall({ headers }: HostRequest): boolean {
  if (headers["content-encoding"] !== undefined || headers["transfer-encoding"] !== undefined) return false;
  return Number(headers["content-length"] ?? 0) <= SMALL;
}
