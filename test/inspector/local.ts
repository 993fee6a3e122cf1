import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { InspectorConnection } from "../../src/inspector/connection.js";
import type { InspectorEvent } from "../../src/inspector/events.js";
import { TOKEN_HEADER } from "../../src/inspector/frames.js";
import { type InspectOptions, inspect } from "../../src/inspector/local-server.js";

type Test = Pick<TestContext, "onTestFinished">;

/** A folder with a page that nothing has built, for tests of what serves it. */
export function pageFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "parley-page-"));
  t.onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "assets"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Inspector</title>");
  writeFileSync(join(folder, "assets", "main.js"), "export {};");
  writeFileSync(join(folder, "assets", "notes.txt"), "not part of a page");
  return folder;
}

/** An inspector for one test, and what its page knows. */
export async function inspectFor(t: Test, options: InspectOptions = {}) {
  const inspector = await inspect({ folder: pageFolder(t), ...options });
  t.onTestFinished(() => inspector.close());
  const page = new URL(inspector.url);
  const token = new URLSearchParams(page.hash.slice(1)).get("token") ?? "";
  return { ...inspector, origin: page.origin, token };
}

type Inspected = Awaited<ReturnType<typeof inspectFor>>;

/** Opens the connection of a page, as the page does. */
export async function openFor(t: Test, { origin, token }: Inspected) {
  const events: InspectorEvent[] = [];
  let wake: () => void = () => undefined;
  const connection = await InspectorConnection.open({
    ...{ base: origin, token },
    onEvent: (event) => {
      events.push(event);
      wake();
    },
  });
  t.onTestFinished(() => connection.close());
  /** Waits for an event of a type. */
  const next = async <Type extends InspectorEvent["type"]>(type: Type, at = 0) => {
    for (;;) {
      const found = events.filter((event) => event.type === type)[at];
      if (found !== undefined) return found as Extract<InspectorEvent, { type: Type }>;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { connection, events, next };
}

/** An answer as it came. */
export interface Raw {
  readonly status: number | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

/** Sends a request with headers that `fetch` does not let a program set, such as `Host` and `Origin`. */
export async function rawRequest(
  url: string,
  {
    method = "GET",
    headers = {},
    body = "",
  }: { method?: string; headers?: Record<string, string>; body?: string },
): Promise<Raw> {
  const outgoing = request(url, { method, headers, agent: false });
  // A body that is too long is not read to its end.
  outgoing.on("error", () => undefined);
  outgoing.end(body);
  const [response] = await once(outgoing, "response");
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, headers: response.headers, text };
}

/** Headers of a request of the page. */
export function withToken({ token }: Pick<Inspected, "token">, more: Record<string, string> = {}) {
  return { [TOKEN_HEADER]: token, ...more };
}
