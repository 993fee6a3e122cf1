import { BoundedMap } from "../../collections/bounded-map.js";
import type { OpenApiTemplate, RuntimeFiles } from "../../runtime/runtime.js";
import { newestCodec } from "../../versions/codecs.js";

/** Documents that are kept. They differ by the URL that callers use, and callers may make up hosts. */
const MAX_DOCUMENTS = 32;

const encoder = new TextEncoder();
const documents = new BoundedMap<string, Uint8Array>(MAX_DOCUMENTS);
let template: OpenApiTemplate | undefined;

/** The OpenAPI document of the HTTP+JSON binding with the address of an agent filled in, as JSON. Its readers share the bytes. */
export function openApi(files: RuntimeFiles, url: string, title: string): Uint8Array {
  const key = JSON.stringify([url, title]);
  const known = documents.get(key);
  if (known !== undefined) return known;
  // Read on first use, because most servers never need it.
  template ??= files.openApi(newestCodec.version);
  const document = { ...template, info: { ...template.info, title }, servers: [{ url }] };
  const bytes = encoder.encode(JSON.stringify(document));
  documents.set(key, bytes);
  return bytes;
}
