import { runtime } from "#runtime";

/** Prefix of IPv4 addresses that are mapped to IPv6. */
const MAPPED = "::ffff:";
const DOTTED = /:\d+\.\d+\.\d+\.\d+$/;

/**
 * The key by which limits group addresses: an IPv4 address itself, and the /64 network of an IPv6 address, because one host usually owns
 * all of it. Empty when the address is unknown.
 */
export function networkOf(address = ""): string {
  if (!address.includes(":")) return address;
  // The form in which Node gives the addresses of IPv4 callers to a server that listens on all interfaces.
  if (address.startsWith(MAPPED) && DOTTED.test(address)) return address.slice(MAPPED.length);
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
  if (runtime.ipVersion(plain) !== 6) return plain;
  const [head = "", tail] = plain.split("::");
  const left = head.split(":").filter((group) => group !== "");
  const right = (tail ?? "").split(":").filter((group) => group !== "");
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => "0");
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
