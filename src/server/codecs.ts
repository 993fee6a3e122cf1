import type { Codec } from "../wire/codec.js";
import { codec as newest } from "../wire/v1.0/codec.js";

/** Every protocol version that can be served, the newest first. */
export const codecs: ReadonlyMap<string, Codec> = new Map([[newest.version, newest]]);

/** Version served when nothing else is asked for. */
export const newestVersion = newest.version;
