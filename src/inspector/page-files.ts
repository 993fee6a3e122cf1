import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Where this module is. As a name, because bundlers would look for the files when they see the expression itself. */
const here = import.meta.url;

/** Folders in which the built page may be: beside the built sources, and from the sources. */
const folders = ["../../inspector/", "../../dist/inspector/"];

/** The page loads nothing from elsewhere, runs no script but its own, and is shown in no other page. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Headers of everything that the inspector answers. */
export const safeHeaders: Readonly<Record<string, string>> = Object.freeze({
  "Content-Security-Policy": POLICY,
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
});

/** Media types of the files that a page is made of. Others are not served. */
const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** A file of the page. */
interface PageFile {
  readonly type: string;
  read(): Uint8Array;
}

/** The files of the page, by path without a slash at the start. `""` is the page itself. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/**
 * Finds the built page. Files are read when they are first asked for, and kept.
 * @param folder instead of the page of this package
 * @throws Error when the page was not built
 */
export function findPage(folder?: string): PageFiles {
  const places = folder === undefined ? folders.map((path) => fileURLToPath(new URL(path, here))) : [folder];
  const place = places.find((path) => existsSync(`${path}/index.html`));
  if (place === undefined)
    throw new Error(`The inspector's page is not in ${places.join(" nor in ")}: npm run build makes it`);
  const files = new Map<string, PageFile>();
  for (const name of readdirSync(place, { recursive: true, encoding: "utf8" })) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    let content: Uint8Array | undefined;
    const read = () => {
      content ??= readFileSync(`${place}/${name}`);
      return content;
    };
    files.set(name.split(sep).join("/"), { type, read });
  }
  const page = files.get("index.html");
  if (page !== undefined) files.set("", page);
  return files;
}

/**
 * Answers a request for a file of the page.
 * @param path below the page, without a slash at the start
 * @returns false when there is no such file
 */
export function answerFile(
  files: PageFiles,
  path: string,
  { method }: IncomingMessage,
  res: ServerResponse,
): boolean {
  const file = files.get(path);
  if (file === undefined) return false;
  if (method !== "GET" && method !== "HEAD") {
    res.writeHead(405, { ...safeHeaders, Allow: "GET, HEAD" }).end();
    return true;
  }
  const body = file.read();
  res.writeHead(200, { ...safeHeaders, "Content-Type": file.type, "Content-Length": body.length });
  res.end(method === "HEAD" ? undefined : body);
  return true;
}
