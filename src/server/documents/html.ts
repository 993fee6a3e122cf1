import { runtime } from "#runtime";
import type { BodyReply } from "../host.js";
import { stylesheet } from "./stylesheet.js";

/** Text that is HTML. Everything else is escaped where it gets into a page, see {@link html}. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a template: text is escaped, HTML is inserted, the items of a list are joined, and undefined and false insert nothing. */
export type HtmlValue = string | number | Html | readonly HtmlValue[] | undefined | false;

/**
 * Writes HTML. Every value that is not HTML is escaped for text and for quoted attributes.
 *
 * @example
 * ```ts
 * html`<h1>${card.name}</h1>`;
 * ```
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(written)));
}

function written(value: HtmlValue): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Html) return value.text;
  return Array.isArray(value) ? value.map(written).join("") : escapeText(String(value));
}

/** Text for the content of an element or for a quoted attribute. */
export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const encoder = new TextEncoder();

/** Allows only the stylesheet of the page, by its hash, and images in `data:` URLs: the empty icon. No script runs, nothing is loaded. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${btoa(String.fromCharCode(...runtime.sha256(stylesheet)))}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS: BodyReply["headers"] = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": POLICY,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  // The page contains the URL of the request.
  "Cache-Control": "no-cache",
  Vary: "Accept",
};

/** A response with a page. */
export function pageReply(title: string, main: Html): BodyReply {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(stylesheet)}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`;
  return { status: 200, headers: HEADERS, body: encoder.encode(page.text), shared: true };
}
