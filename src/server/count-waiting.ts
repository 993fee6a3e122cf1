import { valueSize } from "../json/value-size.js";
import { networkOf } from "../net/network-of.js";
import type { Principal } from "../protocol/call-context.js";
import type { HostRequest } from "./host.js";
import type { ReceivedBytes } from "./received-bytes.js";

/** Requests up to this size are not counted: characters of a text, or bytes of memory. The limit on connections bounds their number. */
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
  const counted = async (request: HostRequest, bytes: number): Promise<Principal> => {
    const held = received.hold(networkOf(request.address));
    try {
      held.add(bytes);
      return await identify(request);
    } finally {
      held.release();
    }
  };
  return (request, value) => {
    // Headers do not show the size: HTTP/2 needs no length, and messages of gRPC may be compressed.
    const { bodyLength = Number.POSITIVE_INFINITY } = request;
    const bytes = bodyLength <= SMALL ? 0 : valueSize(value);
    return bytes <= SMALL ? identify(request) : counted(request, bytes);
  };
}
