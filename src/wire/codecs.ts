import type { Codec } from "./codec.js";
import { codec as draft } from "./v0.1/codec.js";
import { codec as flatDraft } from "./v0.1x/codec.js";
import { codec as second } from "./v0.3/codec.js";
import { codec as newest } from "./v1.0/codec.js";

/** Every protocol version that can be served, the newest first. */
export const codecs: ReadonlyMap<string, Codec> = new Map(
  [newest, second, flatDraft, draft].map((codec) => [codec.version, codec]),
);

/** The version served when nothing else is asked for, in whose form refusals are written that come before any version. */
export const newestCodec: Codec = newest;
