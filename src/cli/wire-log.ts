import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { GrpcTls } from "../client/transports/grpc/grpc-options.js";
import { omitUndefined } from "../json/omit.js";
import { UrlGuard } from "../push/url-guard/url-guard.js";
import { isSecretName } from "../recording/without-credentials.js";
import type { CommandCall } from "./command.js";
import type { Diagnostics } from "./diagnostics.js";
import { fileFailure, usage } from "./failure.js";

/** Media type of OAuth requests. They and their responses contain secrets. */
const FORM = "application/x-www-form-urlencoded";

/** A `fetch` that logs every request and response with `--debug`, including bodies except those of OAuth. */
export function loggedFetch(fetch: typeof globalThis.fetch, notes: Diagnostics): typeof globalThis.fetch {
  if (!notes.isDebug) return fetch;
  return async (input, init) => {
    const started = performance.now();
    const shown = new URL(String(input));
    // Credentials in the query may have another source than the options, whose values are redacted anyway.
    for (const name of shown.searchParams.keys())
      if (isSecretName(name)) shown.searchParams.set(name, "redacted");
    const headers = new Headers(init?.headers);
    const isForm = headers.get("Content-Type") === FORM;
    notes.debug(`> ${init?.method ?? "GET"} ${shown}${headersOf(headers)}`);
    if (typeof init?.body === "string") notes.debug(`> ${isForm ? fieldsOf(init.body) : init.body}`);
    const response = await fetch(input, init);
    const took = Math.round(performance.now() - started);
    notes.debug(`< ${response.status} after ${took} ms${headersOf(response.headers)}`);
    return isForm ? response : logged(response, notes);
  };
}

/** The response with a body whose chunks are logged as they are read. */
function logged(response: Response, notes: Diagnostics): Response {
  if (response.body === null) return response;
  const decoder = new TextDecoder();
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        notes.debug(`< ${decoder.decode(bytes, { stream: true }).trimEnd()}`);
        controller.enqueue(bytes);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

function fieldsOf(form: string): string {
  return `[redacted: ${[...new URLSearchParams(form).keys()].join(", ")}]`;
}

function headersOf(headers: Headers): string {
  return [...headers]
    .map(([name, value]) => ` | ${name}: ${isSecretName(name) ? "[redacted]" : value}`)
    .join("");
}

/**
 * The `fetch` of a command: with the certificates of its options, and logging with `--debug`.
 * @throws Failure for files that cannot be read
 */
export function callFetch(call: Pick<CommandCall, "io" | "notes" | "values">): typeof fetch {
  return loggedFetch(certified(call) ?? call.io.fetch, call.notes);
}

/** A `fetch` on Node's HTTP client, because the platform's cannot use a client certificate or other authorities; undefined if neither is given. */
function certified({ io, values }: Pick<CommandCall, "io" | "values">): typeof fetch | undefined {
  const { ca, cert, key } = certificatesIn({ io, values });
  if (ca === undefined && cert === undefined) return undefined;
  return new UrlGuard({
    allowHttp: true,
    allowPrivateNetworks: true,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && key !== undefined && { certificate: { cert, key } }),
  }).fetch;
}

/**
 * The certificates that the options name, as PEM.
 * @throws Failure for files that cannot be read
 */
export function certificatesIn({ io, values }: Pick<CommandCall, "io" | "values">): GrpcTls {
  const [ca, cert, key] = ["ca", "client-cert", "client-key"].map((name) => {
    const path = values.text(name);
    return path === undefined ? undefined : read(resolve(io.folder, path));
  });
  if ((cert === undefined) !== (key === undefined))
    throw usage("--client-cert and --client-key must be given together");
  return omitUndefined({ ca, cert, key });
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw fileFailure(`${path} cannot be read`, error);
  }
}
