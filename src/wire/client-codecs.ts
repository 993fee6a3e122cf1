import type { ClientCodec } from "./client-codec.js";
import { clientCodec as second } from "./v0.3/client-codec.js";
import { clientCodec as newest } from "./v1.0/client-codec.js";

/** Every protocol version that agents can be called in, the newest first. */
export const clientCodecs: ReadonlyMap<string, ClientCodec> = new Map(
  [newest, second].map((codec) => [codec.version, codec]),
);

/** The version that cards are asked for in (§3.6.1). */
export const newestClientVersion = newest.version;

export { decodeCard } from "./v1.0/decode-card.js";
