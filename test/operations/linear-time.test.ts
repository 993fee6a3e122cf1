import assert from "node:assert/strict";
import { Agent as Connections, type OutgoingHttpHeaders, request } from "node:http";
import { afterAll, beforeAll, test } from "vitest";
import { completed, defineAgent } from "../../src/index.js";
import { apiKeys, basicUsers, bearerTokens, type RunningServer, serve } from "../../src/server/index.js";
import { cardOf, schemes } from "../auth/card.js";
import { leastCost, slowTexts } from "./slow-texts.js";

/** Nearly as much as all headers of a request may have by default. */
const LENGTH = 14_000;
/** Milliseconds of CPU that a request may cost client and server together. What is quadratic costs a hundred and more. */
const BUDGET = 30;

const patterns = Object.entries(slowTexts(LENGTH));

/** Headers that this server, Koa or Node reads. Those for which a request may be refused stand alone. */
const groups: readonly (readonly string[])[] = [
  ...[
    ["Host"],
    ["Authorization"],
    ["Cookie"],
    ["X-API-Key"],
    ["Content-Type"],
    ["Content-Encoding"],
    ["A2A-Version"],
  ],
  [
    ...[
      "A2A-Extensions",
      "X-A2A-Extensions",
      "Accept",
      "Origin",
      "Access-Control-Request-Headers",
      "User-Agent",
    ],
    ...[
      "Idempotency-Key",
      "Last-Event-ID",
      "traceparent",
      "tracestate",
      "If-None-Match",
      "If-Modified-Since",
    ],
    ...["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Prefix"],
  ],
];

const rpc =
  '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}}';

/** What is asked for with each of them. */
const requests: readonly { method: string; path: string; headers?: OutgoingHttpHeaders; body?: string }[] = [
  { method: "POST", path: "/", headers: { "Content-Type": "application/json" }, body: rpc },
  { method: "GET", path: "/tasks" },
  { method: "GET", path: "/.well-known/agent-card.json" },
  { method: "OPTIONS", path: "/", headers: { "Access-Control-Request-Method": "POST" } },
];

let server: RunningServer;
const agent = new Connections({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  const keys = apiKeys({ "key-of-ann": "ann" });
  server = await serve(
    defineAgent({
      card: {
        // Callers without credentials are let in, so that all of a request is read.
        ...cardOf(schemes, [], ["key"]),
        capabilities: { extensions: [{ uri: "https://example.com/extension" }] },
      },
      async *execute() {
        yield completed();
      },
    }),
    {
      auth: {
        verifiers: {
          ...{ key: keys, queryKey: keys, cookieKey: keys },
          basic: basicUsers({ ann: "secret" }),
          bearer: bearerTokens({ "token-of-ann": "ann" }),
          mtls: { open: () => async () => undefined },
        },
      },
      versions: ["1.0", "0.3", "0.1-flat", "0.1"],
      trustProxy: true,
      cors: ["https://app.example"],
      // Several headers of that length at once.
      limits: { headers: 20 * LENGTH },
      rateLimit: { requests: 1_000_000, seconds: 1 },
    },
  );
});

afterAll(async () => {
  agent.destroy();
  await server.close(0);
});

/** Sends a request and reads its answer; gives the status. */
function ask(method: string, path: string, more: OutgoingHttpHeaders = {}, body = ""): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = { port: server.port, method, path, headers: { "A2A-Version": "1.0", ...more }, agent };
    const req = request(sent, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    req.on("error", reject);
    req.end(body);
  });
}

for (const names of groups) {
  test(`SEC-08: whatever is in ${names.join(", ")}, it is read in linear time`, async () => {
    for (const [what, value] of patterns) {
      for (const { method, path, headers, body } of requests) {
        const hostile = Object.fromEntries(names.map((name) => [name, value]));
        const run = () => ask(method, path, { ...headers, ...hostile }, body);
        const cost = await leastCost(BUDGET, run);
        assert.ok(cost < BUDGET, `${method} ${path} with ${what}: ${cost} ms`);
      }
    }
  });
}

test("SEC-08: whatever is in the path or the query, it is read in linear time", async () => {
  const names = Array.from({ length: LENGTH / 7 }, (_, at) => `a${at}=`).join("&");
  for (const [what, value] of [...patterns, ["many names", names] as const]) {
    const text = value.replace(/[ "\\]/g, (found) => encodeURIComponent(found)).slice(0, LENGTH);
    for (const path of [
      ...[
        `/${text}`,
        `/tasks/${text}`,
        `/v1/tasks/${text}`,
        `/${text}/tasks/t:cancel`,
        `/.well-known/${text}`,
      ],
      ...[`/tasks?${text}`, `/tasks?A2A-Version=${text}`, `/tasks?api_key=${text}`, `/tasks?tenant=${text}`],
    ]) {
      const cost = await leastCost(BUDGET, () => ask("GET", path));
      assert.ok(cost < BUDGET, `${path.slice(0, 30)} with ${what}: ${cost} ms`);
    }
  }
});
