import { BlockList, isIP } from "node:net";

/** IPv4 networks that are not the public internet, by what they are for (IANA special-purpose registry and multicast). */
const CLOSED_V4: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8], // this network, unspecified
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT
  ["127.0.0.0", 8], // loopback
  ["168.63.129.16", 32], // a cloud's metadata service, in a public range
  ["169.254.0.0", 16], // link-local, most metadata services
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // relays of 6to4
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarking
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, broadcast
];

/** The one IPv6 network with public addresses. Mapped, compatible and translated IPv4, local and multicast lie outside. */
const OPEN_V6 = ["2000::", 3] as const;

/** Networks within it that are not public. */
const CLOSED_V6: readonly (readonly [network: string, prefix: number])[] = [
  ["2001::", 23], // protocol assignments: Teredo, benchmarking, ORCHID
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4: an IPv4 address inside
  ["3fff::", 20], // documentation
];

const closed = new BlockList();
for (const [network, prefix] of CLOSED_V4) closed.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of CLOSED_V6) closed.addSubnet(network, prefix, "ipv6");
const open = new BlockList();
open.addSubnet(OPEN_V6[0], OPEN_V6[1], "ipv6");

/**
 * Whether an IP address is one of the public internet's hosts: not this machine, not a private, link-local, shared, reserved
 * or multicast network, and no IPv6 form with an IPv4 address inside (SEC-04). What is no address is not public.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closed.check(address, "ipv4");
  return family === 6 && open.check(address, "ipv6") && !closed.check(address, "ipv6");
}
