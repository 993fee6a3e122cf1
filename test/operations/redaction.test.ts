import assert from "node:assert/strict";
import pino from "pino";
import { test } from "vitest";
import { redactedError, redactionFor } from "../../src/auth/redaction.js";
import { artifact, completed, type Executor, failed, inputRequired, working } from "../../src/index.js";
import {
  type AuditEvent,
  apiKeys,
  basicUsers,
  bearerTokens,
  type Interceptor,
} from "../../src/server/index.js";
import { near } from "../push/desk.js";
import { Webhook } from "../push/webhook.js";
import { plainCard, serveFor, text } from "../support/peer.js";

/** Everything that must be in no log and in no answer. */
const planted = {
  bearer: "planted-bearer-7f3a",
  wrongBearer: "planted-wrong-bearer-1c2d",
  key: "planted-key-9b1e",
  queryKey: "planted-query-key-5d5d",
  cookie: "planted-cookie-4c4c",
  password: "planted-password-8e8e",
  proxy: "planted-proxy-6a6a",
  hookToken: "planted-hook-token-2b2b",
  hookCredentials: "planted-hook-credentials-3f3f",
  hookPath: "planted-hook-path-0d0d",
  executor: "planted-executor-text-1e1e",
  upstream: "planted-upstream-key-5f5f",
  interceptor: "planted-interceptor-text-7a7a",
} as const;

const scheme = (name: string, location: string) => ({ apiKeySecurityScheme: { name, location } });
const http = (scheme: string) => ({ httpAuthSecurityScheme: { scheme } });
const card = {
  ...plainCard,
  securitySchemes: {
    bearer: http("Bearer"),
    basic: http("Basic"),
    header: scheme("X-Key", "header"),
    query: scheme("api_key", "query"),
    cookie: scheme("session", "cookie"),
  },
  securityRequirements: ["bearer", "basic", "header", "query", "cookie"].map((name) => ({
    schemes: { [name]: { list: [] } },
  })),
};
const keys = apiKeys({ [planted.key]: "ann", [planted.queryKey]: "ann", [planted.cookie]: "ann" });
const verifiers = {
  bearer: bearerTokens((token) => (token === planted.bearer ? { id: "ann" } : undefined)),
  basic: basicUsers({ ann: planted.password }),
  header: keys,
  query: keys,
  cookie: keys,
};

/** An executor whose errors repeat everything that it knows, as errors of HTTP clients do. */
const talkative: Executor = async function* ({ text, call }) {
  const headers = JSON.stringify(call.headers);
  const error = Object.assign(new Error(`${planted.executor}: upstream refused ${headers}`), {
    code: "ERR_BAD_REQUEST",
    status: 401,
    config: { headers: { Authorization: `Bearer ${planted.upstream}` } },
    cause: new Error(`caused by ${headers}`, { cause: call.headers }),
  });
  if (text === "throw") throw error;
  yield working();
  if (text === "throw later") throw error;
  if (text === "break the contract") yield { statusUpdate: { status: { state: "nonsense" as never } } };
  if (text === "throw a string") throw headers;
  if (text === "throw an object") throw call;
  yield artifact().text("result");
  yield text === "fail" ? failed("sorry") : completed();
};

const requests: Record<string, string>[] = [
  { Authorization: `Bearer ${planted.bearer}` },
  { Authorization: `Bearer ${planted.wrongBearer}` },
  {
    Authorization: `Basic ${btoa(`ann:${planted.password}`)}`,
    "Proxy-Authorization": `Basic ${planted.proxy}`,
  },
  { "X-Key": planted.key, Cookie: `session=${planted.cookie}; other=${planted.cookie}` },
  { Cookie: `theme=dark; session=${planted.cookie}` },
];

const words = [
  "hello",
  "throw",
  "throw later",
  "break the contract",
  "throw a string",
  "throw an object",
  "fail",
];

test("SEC-12, ERR-25, PUSH-18: planted secrets are in no log, no answer, no audit and no refusal", async (t) => {
  const lines: string[] = [];
  const logger = pino({ level: "trace" }, { write: (line: string) => lines.push(line) });
  const events: AuditEvent[] = [];
  const webhook = await Webhook.open(t, () => 500);
  const failing: Interceptor = ({ operation, call }, proceed) => {
    if (operation !== "ListTasks") return proceed();
    throw new Error(`${planted.interceptor} ${JSON.stringify(call.headers)}`);
  };
  const server = await serveFor(
    t,
    { card, execute: talkative },
    {
      logger,
      auth: { verifiers },
      push: { ...near, attempts: 2, drain: 0.01 },
      rateLimit: { requests: 10_000, seconds: 60 },
      interceptors: [failing],
      audit: (event) => events.push(event),
    },
  );
  const answers: string[] = [];
  const note = async (
    answer: Promise<{ result?: unknown; error?: string; message?: string; response: Response }>,
  ) => {
    const { response, ...rest } = await answer;
    answers.push(JSON.stringify([rest, [...response.headers]]));
  };
  const taskPushNotificationConfig = {
    url: webhook.url(`/${planted.hookPath}`),
    token: planted.hookToken,
    authentication: { scheme: "Bearer", credentials: planted.hookCredentials },
  };
  for (const headers of requests) {
    for (const peer of [server.rpc, server.rest]) {
      for (const word of words) {
        await note(
          peer.call("SendMessage", text(word, { configuration: { taskPushNotificationConfig } }), headers),
        );
      }
      await note(peer.call("SendMessage", {}, headers));
      await note(peer.call("ListTasks", {}, headers));
      await note(peer.call("GetTask", { id: "none" }, headers));
    }
  }
  const inQuery = await fetch(`${server.url}/tasks/none?api_key=${planted.queryKey}`, {
    headers: { "A2A-Version": "1.0" },
  });
  answers.push(await inQuery.text());
  while (!lines.some((line) => line.includes("given up")))
    await new Promise((resolve) => setImmediate(resolve));
  assert.ok(webhook.arrivals.some(({ headers }) => headers.authorization?.includes(planted.hookCredentials)));

  const output = { logs: lines.join("\n"), answers: answers.join("\n"), audit: JSON.stringify(events) };
  for (const [place, said] of Object.entries(output)) {
    for (const [name, secret] of Object.entries(planted)) {
      // Operators may read what went wrong in their own code, callers may not.
      if (place === "logs" && (name === "executor" || name === "interceptor")) continue;
      assert.ok(!said.includes(secret), `${name} in the ${place}: ${context(said, secret)}`);
      assert.ok(!said.includes(btoa(secret).slice(0, -4)), `${name} in base64 in the ${place}`);
    }
  }
  assert.ok(output.logs.includes(planted.executor), "the log says what happened");
  assert.ok(output.logs.includes("ERR_BAD_REQUEST"), "the log says what kind of error it was");
});

test("SEC-12: the error of a cancel hook is logged without the caller's credentials", async (t) => {
  const lines: string[] = [];
  const logger = pino({ level: "trace" }, { write: (line: string) => lines.push(line) });
  const execute: Executor = async function* () {
    yield inputRequired("?");
  };
  const cancel = ({ call }: { call: { headers: object } }) => {
    throw new Error(`upstream refused ${JSON.stringify(call.headers)}`);
  };
  const { rpc } = await serveFor(t, { card: plainCard, execute, cancel }, { logger });
  const { result } = await rpc.call("SendMessage", text("go"));
  const headers = { Authorization: `Bearer ${planted.bearer}` };
  const { error } = await rpc.call("CancelTask", { id: result.task.id }, headers);
  assert.equal(error, "TASK_NOT_CANCELABLE");
  const log = lines.join("\n");
  assert.ok(log.includes("upstream refused"));
  assert.ok(!log.includes(planted.bearer), context(log, planted.bearer));
});

function context(text: string, part: string): string {
  const at = text.indexOf(part);
  return text.slice(Math.max(0, at - 200), at + 100);
}

test("SEC-12: a callers' secrets are taken out of errors whole, in parts, and out of their base64", () => {
  const clean = redactionFor({
    headers: {
      authorization: `Basic ${btoa("ann:pass-word")}`,
      cookie: "a=first-cookie; b=second-cookie",
      "x-list": ["list-one", "list-two"],
      host: "example.com",
      traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "x-short": "abc",
    },
    query: "api_key=query%2Dkey",
    valuesOf: (name) => (name === "cookie" ? ["c=hidden-cookie"] : []),
  });
  const secrets = [
    "pass-word",
    "first-cookie",
    "second-cookie",
    "list-one",
    "list-two",
    "query-key",
    "hidden-cookie",
  ];
  for (const secret of secrets) assert.equal(clean(`<${secret}>`), "<[redacted]>", secret);
  for (const harmless of ["example.com", "abc", "0af7651916cd43dd8448eb211c80319c"]) {
    assert.equal(clean(harmless), harmless);
  }
});

test("SEC-12: a loggable error keeps name, text, stack, causes and plain members, and no objects", () => {
  const clean = (text: string) => text.replaceAll("secret", "***");
  const cause = new TypeError("secret cause", { cause: "secret string" });
  const error = Object.assign(new RangeError("a secret", { cause }), {
    ...{ code: "E_SECRET", status: 500, retry: true, note: "secret", request: { headers: { a: "secret" } } },
  });
  const logged = redactedError(error, clean) as RangeError & Record<string, unknown>;
  assert.deepEqual(
    [logged.name, logged.message, logged.code, logged.status, logged.retry, logged.note, logged.request],
    ["RangeError", "a ***", "E_SECRET", 500, true, "***", undefined],
  );
  assert.match(logged.stack ?? "", /RangeError: a \*\*\*[\s\S]*redaction\.test/);
  const { name, message, cause: deeper } = logged.cause as Error;
  assert.deepEqual([name, message, deeper], ["TypeError", "*** cause", "*** string"]);
  assert.equal(redactedError(undefined, clean), "undefined");
  assert.equal(redactedError({ secret: 1 }, clean), "a value of type object was thrown");
  let endless = new Error("end");
  for (let depth = 0; depth < 50; depth += 1) endless = new Error("more", { cause: endless });
  let depth = 0;
  for (let at = redactedError(endless, clean); at instanceof Error; at = at.cause) depth += 1;
  assert.ok(depth < 10);
});

test("the logger of the library is that of pino, levels and all", async (t) => {
  const lines: { level: number; msg: string; taskId?: string }[] = [];
  const logger = pino({ level: "debug" }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const server = await serveFor(
    t,
    {
      card: plainCard,
      execute: async () => {
        throw new Error("broken");
      },
    },
    { logger },
  );
  await server.rpc.call("SendMessage", text("go"));
  const line = lines.find(({ msg }) => msg === "The executor failed");
  assert.equal(line?.level, 50);
  assert.match(line?.taskId ?? "", /^[\da-f-]{36}$/);
});
