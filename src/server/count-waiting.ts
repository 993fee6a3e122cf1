import { valueSize } from "../json/value-size.js";
import { networkOf } from "../net/network-of.js";
import type { Principal } from "../protocol/call-context.js";
import type { HostRequest } from "./host.js";
import type { ReceivedBytes } from "./received-bytes.js";

/** Bodies up to this length are not counted: connections have a bound of their own. */
const SMALL = 1024;

type Identify = (request: HostRequest) => Promise<Principal>;

/**
 * Counts what requests hold while their callers are being identified, which may take as long as an identity provider does.
 * @returns what takes the request and its value as JSON; throws also what {@link ReceivedBytes} throws
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
