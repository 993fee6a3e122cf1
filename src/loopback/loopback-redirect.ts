import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { AuthorizationRedirect } from "../client/auth/authorization-code.js";
import { argumentError, assertObject, valueKind } from "../protocol/argument.js";

/** Options of {@link loopbackRedirect}. */
export interface LoopbackOptions {
  /** Shows the issuer's page to the person: opens a browser, or prints the URL. */
  readonly open: (page: URL) => void;
  /** Port to listen on; any free one by default. Set it if the issuer compares ports. */
  readonly port?: number | undefined;
}

const PATH = "/callback";
const HOST = "127.0.0.1";
const MAX_PORT = 65_535;

const headers = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  Connection: "close",
} as const;

/**
 * Receives the redirect of an authorization on a port of this machine (RFC 8252 §7.3). Listens on 127.0.0.1 alone and answers one path;
 * closes with the authorization. Register `http://127.0.0.1/callback` with the issuer.
 *
 * @throws TypeError for options of other types
 * @throws Error of Node when the port is in use
 * @example
 * ```ts
 * const redirect = () => loopbackRedirect({ open: (page) => console.log(`Open ${page.href}`) });
 * const client = await connect(url, { credentials: { oauth: authorizationCode({ clientId: "desktop", redirect }) } });
 * ```
 */
export async function loopbackRedirect(options: LoopbackOptions): Promise<AuthorizationRedirect> {
  const needs = "loopbackRedirect needs { open }, such as { open: (page) => console.log(page.href) }";
  assertObject(options, needs);
  const { open, port = 0 } = options;
  if (typeof open !== "function") throw argumentError(`${needs}: open must be a function`, open);
  if (!Number.isInteger(port) || port < 0 || port > MAX_PORT)
    throw new TypeError(
      `loopbackRedirect: port must be a whole number from 0 to ${MAX_PORT}, not ${typeof port === "number" ? port : valueKind(port)}`,
    );
  const server = createServer();
  server.listen(port, HOST);
  await once(server, "listening");
  const { port: bound } = server.address() as AddressInfo;
  const uri = `http://${HOST}:${bound}${PATH}`;
  return {
    uri,
    open(page, signal) {
      const redirect = redirected(server, { uri, state: page.searchParams.get("state") }, signal);
      open(page);
      return redirect;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Resolves with the URL of the redirect that has the state of the authorization. Other redirects are answered like unknown paths. */
function redirected(server: Server, { uri, state }: Expected, signal: AbortSignal): Promise<URL> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    server.on("request", (req: IncomingMessage, res: ServerResponse) => {
      const redirect = redirectIn(req, uri);
      if (redirect?.searchParams.get("state") !== state) {
        res.writeHead(404, headers).end(page("There is nothing here."));
        return;
      }
      const text = redirect.searchParams.has("error") ? "You are not signed in." : "You are signed in.";
      // Resolves when the page has been sent: the server closes its connections after the authorization.
      res.writeHead(200, headers).end(page(`${text} You can close this window.`), () => {
        signal.removeEventListener("abort", stop);
        resolve(redirect);
      });
    });
  });
}

/** The redirect to wait for. */
interface Expected {
  readonly uri: string;
  readonly state: string | null;
}

/** The redirect in a request; undefined if it has none. The host must match, as a protection against DNS rebinding. */
function redirectIn({ method, url = "", headers: { host } }: IncomingMessage, uri: string): URL | undefined {
  const own = new URL(uri);
  if (method !== "GET" || host !== own.host || !url.startsWith(`${PATH}?`)) return undefined;
  return new URL(url, own);
}

function page(text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign-in</title>
<style>:root{color-scheme:light dark}body{font-family:system-ui,sans-serif;margin:15vh auto;max-width:32em;padding:1em}</style>
<p>${text}</p></html>\n`;
}
