import type { ServerResponse } from "node:http";
import { BoundedMap } from "../collections/bounded-map.js";
import type { OpenPage } from "./open-page.js";
import { safeHeaders } from "./page-files.js";

/** Authorizations that may wait at a time. */
const MAX_WAITING = 100;

/** Authorizations for whose redirect a page waits, by their state (RFC 6749 §4.1.2). */
export class Redirects {
  readonly #pages = new BoundedMap<string, OpenPage>(MAX_WAITING);

  /** Waits for the redirect of an authorization. */
  expect(state: string, page: OpenPage): void {
    this.#pages.set(state, page);
  }

  /** Forgets what a page waits for. */
  forget(page: OpenPage): void {
    for (const [state, waiting] of [...this.#pages]) if (waiting === page) this.#pages.delete(state);
  }

  /** Answers a browser that comes from an issuer, and tells the page where it came to. */
  answer(url: URL, res: ServerResponse): void {
    const state = url.searchParams.get("state") ?? "";
    const page = this.#pages.get(state);
    this.#pages.delete(state);
    page?.send({ type: "redirected", state, url: url.href });
    const text =
      page === undefined
        ? "No sign-in is waiting for this page."
        : "You can close this window and go back to the inspector.";
    res.writeHead(page === undefined ? 404 : 200, {
      ...safeHeaders,
      "Content-Type": "text/html; charset=utf-8",
    });
    res.end(
      `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign-in</title><p>${text}</p></html>\n`,
    );
  }
}
