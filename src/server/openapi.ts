import { readFileSync } from "node:fs";
import { newestCodec } from "../wire/codecs.js";

let document: object | undefined;

/** The OpenAPI document of the HTTP+JSON binding with the address of an agent filled in. */
export function openApi(url: string, title: string): object {
  document ??= load();
  const { info } = document as { info: object };
  return { ...document, info: { ...info, title }, servers: [{ url }] };
}

/** Read when first asked for: most servers never are. */
function load(): object {
  const file = new URL(`../../generated/v${newestCodec.version}/openapi.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as object;
}
