import type { Clock } from "../../async/clock.js";
import { withDeadline } from "../../async/deadlines.js";
import { joinBytes } from "../../collections/join-bytes.js";
import { type ConnectionPlatform, DRAIN, type GuardedAnswer, TIMEOUT_MS } from "./connections.js";

/**
 * Connections through the platform's `fetch`, which resolves names and does not reveal the addresses. Unless private networks are
 * allowed, the guard therefore accepts only hosts in `allowHosts`. Custom certificates and authorities are not supported.
 */
export const connectionPlatform: ConnectionPlatform = {
  open({ ca, certificate, clock }) {
    if (ca !== undefined || certificate !== undefined)
      throw new TypeError("ca and certificate: this runtime takes certificates from its own configuration");
    return {
      exchange(url, { maxBytes, timeout = TIMEOUT_MS, signal, resendHeaders: _, ...sent }) {
        return withDeadline({ milliseconds: timeout, signal, clock }, async (signal) => {
          const response = await fetch(url, { ...sent, signal, redirect: "manual" } as RequestInit);
          const body = maxBytes === undefined ? await drain(response, clock) : await read(response, maxBytes);
          return { status: response.status, headers: Object.fromEntries(response.headers), body };
        });
      },
      async fetch(url, request) {
        const response = await fetch(new Request(url, request), { redirect: "manual" });
        if (request.redirect !== "manual" && isRedirect(response)) {
          response.body?.cancel().catch(() => undefined);
          throw new TypeError("Redirects are not followed");
        }
        return response;
      },
      close: () => undefined,
    };
  },
  resolver: () => undefined,
};

function isRedirect({ type, status }: Response): boolean {
  return type === "opaqueredirect" || (status > 300 && status < 400 && status !== 304);
}

/** Reads the start of an ignored body, so that its connection can be reused if the body is short. */
async function drain(response: Response, clock: Clock): Promise<GuardedAnswer["body"]> {
  const stop = new AbortController();
  const cancel = clock.schedule(DRAIN.time, () => stop.abort());
  await readUpTo(response, DRAIN.bytes, stop.signal).catch(() => undefined);
  cancel();
  return new Uint8Array();
}

async function read(response: Response, maxBytes: number): Promise<Uint8Array> {
  const bytes = await readUpTo(response, maxBytes);
  if (bytes === undefined) throw new Error(`The response is longer than ${maxBytes} bytes`);
  return bytes;
}

/** @returns the body, or its start if the signal aborts; undefined when it is longer than `maxBytes`. The rest of the body is canceled */
async function readUpTo(
  { body }: Response,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener("abort", cancel, { once: true });
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.length;
      if (size > maxBytes) {
        cancel();
        return undefined;
      }
      pieces.push(next.value);
    }
    return joinBytes(pieces);
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}
