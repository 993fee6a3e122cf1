import { runtime } from "#runtime";
import type { RuntimeFiles } from "../../runtime/runtime.js";
import type { BodyReply } from "../host.js";
import { escapeText } from "./html.js";

/** An optional peer dependency: only servers with the option `docs` need it. */
const VIEWER = "swagger-ui-dist";

/** The page loads nothing from other origins, and runs only scripts that this server serves. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The files of the viewer that are served, with their media types. */
const assets: Readonly<Record<string, string>> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
};

/** The URLs are relative, so that the page works below any prefix and behind any proxy. */
const START = `SwaggerUIBundle({ url: "openapi.json", dom_id: "#viewer", validatorUrl: null, deepLinking: false });\n`;

/**
 * The page at `<prefix>/docs` that shows the agent's OpenAPI document, and the files that it needs, by path.
 * @throws TypeError as {@link openViewer}
 */
export function viewerPages(prefix: string, title: string): [path: string, read: () => BodyReply][] {
  const read = openViewer();
  const page = pageOf(title);
  const policy = { "Content-Security-Policy": POLICY };
  return [
    [`${prefix}/docs`, () => reply("text/html; charset=utf-8", page, policy)],
    [`${prefix}/docs/start.js`, () => reply("text/javascript; charset=utf-8", START)],
    ...Object.entries(assets).map(([file, type]): [string, () => BodyReply] => [
      `${prefix}/docs/${file}`,
      () => ({ ...reply(type, read(file)), shared: true }),
    ]),
  ];
}

/**
 * Finds the package of the viewer.
 * @returns a function that reads a file of the package once and caches it
 * @throws TypeError when the package is not installed, or when the runtime has no file system
 */
export function openViewer(source: RuntimeFiles | undefined = runtime.files): (file: string) => Uint8Array {
  if (source === undefined) throw new TypeError("docs: this runtime has no files to show");
  const files = new Map<string, Uint8Array>();
  let read: (file: string) => Uint8Array;
  try {
    read = source.packageFiles(VIEWER);
  } catch (cause) {
    throw new TypeError(`docs: the page needs the package ${VIEWER}: npm install ${VIEWER}`, { cause });
  }
  return (file) => {
    const content = files.get(file) ?? read(file);
    files.set(file, content);
    return content;
  };
}

function reply(type: string, body: string | Uint8Array, headers: BodyReply["headers"] = {}): BodyReply {
  return {
    status: 200,
    headers: { "Content-Type": type, "X-Content-Type-Options": "nosniff", ...headers },
    body,
  };
}

function pageOf(title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeText(title)}</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="viewer"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;
}
