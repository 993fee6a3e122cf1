import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import ipaddr from "ipaddr.js";
import { encode } from "jose/base64url";
import type { Runtime } from "./runtime.js";

/** The user agent of Workers, which allow neither timers nor random values outside of a request. */
const WORKERS = "Cloudflare-Workers";

const isWorkers = (globalThis as { navigator?: { userAgent?: string } }).navigator?.userAgent === WORKERS;

/** Whether this is the edge runtime of Next.js and Vercel, which may end after a response. */
const isEdge = "EdgeRuntime" in globalThis;

const encoder = new TextEncoder();

/** Characters that are not part of base64. */
const FOREIGN = /[^A-Za-z\d+/]/g;

/** The implementation on the web platform: for Workers, browsers and unknown runtimes. */
export const runtime: Runtime = {
  randomUUID: () => crypto.randomUUID(),
  sha256: (data) => sha256(bytesOf(data)),
  hmacSha256: (key, text) => hmac(sha256, key, encoder.encode(text)),
  timingSafeEqual(one, other) {
    let difference = 0;
    for (const [at, byte] of one.entries()) difference |= byte ^ (other[at] ?? 0);
    return difference === 0 && one.length === other.length;
  },
  publicKeyOf: (key) => key,
  byteLength: (text) => encoder.encode(text).length,
  toBase64Url: encode,
  fromBase64(text) {
    const [unpadded = ""] = text.replaceAll("-", "+").replaceAll("_", "/").split("=");
    const plain = unpadded.replace(FOREIGN, "");
    // A single character at the end has fewer bits than a byte and is dropped.
    const whole = plain.length % 4 === 1 ? plain.slice(0, -1) : plain;
    return Uint8Array.from(atob(whole), (one) => one.charCodeAt(0));
  },
  ipVersion(text) {
    if (ipaddr.IPv4.isValidFourPartDecimal(text)) return 4;
    return ipaddr.IPv6.isValid(text) ? 6 : 0;
  },
  addressSet(networks) {
    const parsed = networks.map(([address, bits]) => [ipaddr.parse(address), bits] as const);
    return (text) => {
      // Converts an IPv4-mapped address to the IPv4 address.
      const address = ipaddr.process(text);
      return parsed.some(
        ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
      );
    };
  },
  afterEvents: (call) => void setTimeout(call, 0),
  // On Workers a timer belongs to one request, but the responses to others would wait for it.
  afterTurn: undefined,
  // A wrapper, because Workers refuse the call of `queueMicrotask` as a method of another object.
  afterTick: (call) => queueMicrotask(call),
  allowListeners: () => undefined,
  inspect: (value) => reportOf(value),
  // biome-ignore lint/suspicious/noConsole: there is no stderr
  writeError: (text) => console.error(text.trimEnd()),
  files: undefined,
  startsAtOnce: !isWorkers,
  outlivesResponses: !isWorkers && !isEdge,
};

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === "string" ? encoder.encode(data) : data;
}

/** An error with its stack and causes. The number of causes is limited, because an error can be its own cause. */
function reportOf(value: unknown, causes = 4): string {
  if (!(value instanceof Error))
    return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  const { stack = String(value), cause } = value;
  return cause === undefined || causes === 0 ? stack : `${stack}\n[cause] ${reportOf(cause, causes - 1)}`;
}
