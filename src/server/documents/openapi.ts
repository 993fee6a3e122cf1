import { readFileSync } from "node:fs";
import { BoundedMap } from "../../collections/bounded-map.js";
import { newestCodec } from "../../versions/codecs.js";

/** Documents that are kept. They differ by the URL that callers use, and callers may make up hosts. */
const MAX_DOCUMENTS = 32;

const documents = new BoundedMap<string, Buffer>(MAX_DOCUMENTS);
let template: { readonly info: object } | undefined;

/** The OpenAPI document of the HTTP+JSON binding with the address of an agent filled in, as JSON. Its readers share the bytes. */
export function openApi(url: string, title: string): Buffer {
  const key = JSON.stringify([url, title]);
  const known = documents.get(key);
  if (known !== undefined) return known;
  template ??= load();
  const document = { ...template, info: { ...template.info, title }, servers: [{ url }] };
  const bytes = Buffer.from(JSON.stringify(document));
  documents.set(key, bytes);
  return bytes;
}

/** Read when first asked for: most servers never are. */
function load(): { readonly info: object } {
  const file = new URL(`../../../generated/v${newestCodec.version}/openapi.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8"));
}
