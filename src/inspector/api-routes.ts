import type { AgentGuard } from "./agent-guard.js";
import type { FetchHead, Session } from "./api.js";
import { ApiRefused } from "./api-refused.js";
import { readCall } from "./frames.js";
import { makeCall } from "./make-call.js";
import type { OpenPage } from "./open-page.js";
import {
  readAbort,
  readConformanceRun,
  readFetchHead,
  readRedirect,
  readWebhookSettings,
} from "./read-value.js";
import type { Redirects } from "./redirects.js";
import type { Webhooks } from "./webhooks.js";

/** What requests of a page work with. */
export interface ApiDeps {
  readonly session: Session;
  readonly guard: AgentGuard;
  readonly webhooks: Webhooks;
  readonly redirects: Redirects;
}

/** A request of a page. */
export interface ApiRequest {
  readonly body: Uint8Array;
  /** What the path names in the place of `*`. */
  readonly id: string;
  /** The page, which has opened its events. @throws ApiRefused when it has not */
  readonly page: OpenPage;
}

/** An answer: a value that is sent as JSON, or nothing. */
export interface ApiAnswer {
  readonly status: number;
  readonly value?: object;
}

type Route = (request: ApiRequest, deps: ApiDeps) => ApiAnswer;

const done: ApiAnswer = { status: 204 };
const begun: ApiAnswer = { status: 202, value: {} };

/** The requests of a page by method and path below `api/`, where `*` stands for an id. Events have a connection of their own. */
export const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ["GET session", (_, { session }) => ({ status: 200, value: session })],
  ["POST fetch", beginCall],
  ["POST conformance", beginRun],
  [
    "POST abort",
    ({ body, page }) => {
      page.abort(readAbort(jsonIn(body)).id);
      return done;
    },
  ],
  [
    "POST redirects",
    ({ body, page }, { redirects }) => {
      redirects.expect(readRedirect(jsonIn(body)).state, page);
      return done;
    },
  ],
  ["GET webhooks", (_, { webhooks }) => ({ status: 200, value: webhooks.all })],
  [
    "POST webhooks",
    ({ body }, { webhooks }) => ({ status: 201, value: webhooks.create(readWebhookSettings(jsonIn(body))) }),
  ],
  [
    "PUT webhooks/*",
    ({ body, id }, { webhooks }) => ({
      status: 200,
      value: webhooks.change(id, readWebhookSettings(jsonIn(body))),
    }),
  ],
  [
    "DELETE webhooks/*",
    ({ id }, { webhooks }) => {
      webhooks.delete(id);
      return done;
    },
  ],
  [
    "GET webhooks/*/deliveries",
    ({ id }, { webhooks }) => ({ status: 200, value: webhooks.deliveriesOf(id) }),
  ],
]);

function beginCall({ body: bytes, page }: ApiRequest, { guard, session }: ApiDeps): ApiAnswer {
  const { head, body } = callIn(bytes);
  const maxBytes = Math.min(head.maxBytes ?? Number.POSITIVE_INFINITY, session.limits.answer);
  start(page, head.id, (signal) => makeCall({ head, body, maxBytes, signal, page, guard }));
  return begun;
}

function callIn(bytes: Uint8Array): { readonly head: FetchHead; readonly body: Uint8Array } {
  try {
    const { head, body } = readCall(bytes);
    return { head: readFetchHead(head), body };
  } catch (error) {
    if (error instanceof ApiRefused) throw error;
    throw new ApiRefused("INVALID_REQUEST", "The body is no call");
  }
}

function beginRun({ body, page }: ApiRequest, { guard }: ApiDeps): ApiAnswer {
  const run = readConformanceRun(jsonIn(body));
  // A thousand lines that a launch without a run does not need.
  start(page, run.id, async (signal) => {
    const { runConformance } = await import("./conformance-run.js");
    await runConformance(run, { page, guard, signal });
  });
  return begun;
}

function start(page: OpenPage, id: number, work: (signal: AbortSignal) => Promise<void>): void {
  if (!page.start(id, work))
    throw new ApiRefused("TOO_MANY", `Too much is open, or ${id} is the number of something that is`);
}

function jsonIn(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw new ApiRefused("INVALID_REQUEST", "The body is not JSON");
  }
}
