import {
  createHash,
  createHmac,
  createPublicKey,
  KeyObject,
  randomUUID,
  timingSafeEqual,
  type webcrypto,
} from "node:crypto";
import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { BlockList, isIP } from "node:net";
import { env, nextTick, stderr } from "node:process";
import { inspect } from "node:util";
import type { Runtime } from "./runtime.js";
import { checkNodeVersion } from "./supported-node.js";

checkNodeVersion(process.versions);

/** URL of this module. It is a variable because bundlers would search for the files if they saw the expression itself. */
const here = import.meta.url;

/** Environment variables of platforms that freeze a process between requests. */
const frozenBetweenRequests = ["AWS_LAMBDA_FUNCTION_NAME", "NETLIFY", "VERCEL"];

/** Number of nested levels that `inspect` shows. */
const DEPTH = 3;

/** Node, Bun and Deno. */
export const runtime: Runtime = {
  randomUUID: () => randomUUID(),
  sha256: (data) => createHash("sha256").update(data).digest(),
  hmacSha256: (key, text) => createHmac("sha256", key).update(text).digest(),
  timingSafeEqual,
  publicKeyOf<Key extends object>(key: Key): Key {
    // Callers pass a key of `node:crypto` or of Web Crypto, which `Key` cannot say without a type of Node.
    const own = key instanceof KeyObject ? key : KeyObject.from(key as unknown as webcrypto.CryptoKey);
    return (own.type === "private" ? createPublicKey(own) : own) as unknown as Key;
  },
  byteLength: (text) => Buffer.byteLength(text),
  toBase64Url: (data) => Buffer.from(data as Uint8Array).toString("base64url"),
  fromBase64: (text) => Buffer.from(text, "base64"),
  ipVersion: (text) => isIP(text) as 0 | 4 | 6,
  addressSet(networks) {
    const list = new BlockList();
    for (const [address, bits] of networks) list.addSubnet(address, bits, familyOf(address));
    return (address) => list.check(address, familyOf(address));
  },
  afterEvents: (call) => void setImmediate(call),
  afterTurn: (call) => void setImmediate(call),
  afterTick: nextTick,
  allowListeners: (signal) => setMaxListeners(0, signal),
  inspect: (value) => inspect(value, { depth: DEPTH }),
  writeError: (text) => void stderr.write(text),
  files: {
    openApi(version) {
      const file = new URL(`../../generated/v${version}/openapi.json`, here);
      return JSON.parse(readFileSync(file, "utf8"));
    },
    packageFiles(name) {
      const find = createRequire(here);
      const pathOf = (file: string) => find.resolve(`${name}/${file}`);
      pathOf("package.json");
      return (file) => readFileSync(pathOf(file));
    },
  },
  startsAtOnce: true,
  outlivesResponses: !frozenBetweenRequests.some((name) => env[name]),
};

function familyOf(address: string): "ipv4" | "ipv6" {
  return address.includes(":") ? "ipv6" : "ipv4";
}
