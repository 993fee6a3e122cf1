import assert from "node:assert/strict";
import { createServer } from "node:https";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import express from "express";
import { type TestContext, test } from "vitest";
import { connect } from "../../src/client/index.js";
import { missingGrpcPackage } from "../../src/grpc/missing-packages.js";
import { completed, reply } from "../../src/index.js";
import { loadApi } from "../../src/opentelemetry/node-api.js";
import { openViewer } from "../../src/server/documents/api-viewer.js";
import { createApp, type ServeOptions, serve } from "../../src/server/index.js";
import { PostgresStore } from "../../src/stores/postgres/index.js";
import { postgresDriver, sqliteDriver } from "../../src/stores/sql/drivers.js";
import { SqliteStore } from "../../src/stores/sqlite/index.js";
import { certify } from "../auth/certificates.js";
import { plainCard, serveFor, text } from "../support/peer.js";

const agent = {
  card: plainCard,
  async *execute() {
    yield completed();
  },
};

/** Loads packages as a module does in a project in which none is installed. */
const elsewhere = createRequire("/none-installed/main.js");

/** What a program throws for a mistake of its author: the mistake, and the whole message. */
const thrown: readonly [mistake: string, provoke: () => unknown, message: string][] = [
  [
    "a card without a name",
    () => serve({ ...agent, card: { description: "Does it." } as never }),
    "The card of an agent without a name is not valid:\n- name is required",
  ],
  [
    "a store that is an address",
    () => serve(agent, { store: "sqlite:x" as never }),
    'store: "sqlite:x" is not a task store. Use new SqliteStore({ file: "tasks.db" }) of a2a-parley/stores/sqlite, await PostgresStore.open({ url }) of a2a-parley/stores/postgres, or await LibsqlStore.open({ url }) of a2a-parley/stores/libsql',
  ],
  [
    "a store whose `await` is missing",
    () => serve(agent, { store: Promise.resolve() as never }),
    'store: an object without `append` is not a task store. Use new SqliteStore({ file: "tasks.db" }) of a2a-parley/stores/sqlite, await PostgresStore.open({ url }) of a2a-parley/stores/postgres, or await LibsqlStore.open({ url }) of a2a-parley/stores/libsql',
  ],
  [
    "a store of SQLite without a file",
    () => new SqliteStore({} as never),
    'file must be the path of the database file, such as "tasks.db", or ":memory:"',
  ],
  [
    "a store of SQLite without options",
    () => new (SqliteStore as unknown as new () => SqliteStore)(),
    'file must be the path of the database file, such as "tasks.db", or ":memory:"',
  ],
  [
    "the URL of another database",
    () => PostgresStore.open({ url: "mysql://root:secret@127.0.0.1/tasks" }),
    "url must begin with postgres:// or postgresql://, as in postgres://user:password@host:5432/database, not with mysql://",
  ],
  [
    "a URL of PostgreSQL without a scheme",
    () => PostgresStore.open({ url: "127.0.0.1/tasks" }),
    "url must begin with postgres:// or postgresql://, as in postgres://user:password@host:5432/database",
  ],
  [
    "a URL of PostgreSQL with one slash",
    () => PostgresStore.open({ url: "postgres:/127.0.0.1/tasks" }),
    "url must begin with postgres:// or postgresql://, as in postgres://user:password@host:5432/database",
  ],
  [
    "a URL of PostgreSQL that is not set",
    () => PostgresStore.open({ url: process.env.NO_SUCH_VARIABLE as never }),
    "url must begin with postgres:// or postgresql://, as in postgres://user:password@host:5432/database",
  ],
  [
    "no driver of SQLite",
    () => sqliteDriver(elsewhere),
    "SqliteStore needs the package libsql: npm install libsql",
  ],
  [
    "no driver of PostgreSQL",
    () => postgresDriver(async () => elsewhere("pg")),
    "PostgresStore needs the package pg: npm install pg",
  ],
  [
    "no library for gRPC",
    () => {
      try {
        elsewhere("@connectrpc/connect");
      } catch (error) {
        throw missingGrpcPackage(error);
      }
    },
    'The binding "GRPC" needs the package @connectrpc/connect: npm install @connectrpc/connect-node@~2.1.2 @connectrpc/connect@~2.1.2 @bufbuild/protobuf@^2.7.0',
  ],
  [
    "no API of OpenTelemetry",
    () => loadApi(elsewhere),
    "a2a-parley/opentelemetry needs the package @opentelemetry/api: npm install @opentelemetry/api",
  ],
  [
    "no viewer for the page of the API",
    () =>
      openViewer({
        openApi: () => ({ info: {} }),
        packageFiles: (name) => elsewhere(`${name}/package.json`),
      }),
    "docs: the page needs the package swagger-ui-dist: npm install swagger-ui-dist",
  ],
  [
    "the URL of a server whose `await` is missing",
    () => connect((Promise.resolve() as { url?: string }).url as never),
    "The agent must be an absolute URL or an agent card, not undefined: an `await` may be missing, as in `(await serve(agent)).url`",
  ],
  [
    "a `fetch` that fails with an error whose code is a number",
    () =>
      connect("https://agent.example/card.json", {
        fetch: () => Promise.reject(new DOMException("The proxy is busy", "TimeoutError")),
      }),
    "https://agent.example/card.json cannot be reached (The proxy is busy)",
  ],
  [
    "a promise of an agent",
    () => connect(Promise.resolve("http://127.0.0.1:1") as never),
    "The agent must be an absolute URL or an agent card, not a promise: an `await` may be missing, as in `(await serve(agent)).url`",
  ],
  [
    "a password in the URL of an agent, which the error does not repeat",
    () => connect("http://me:secret@127.0.0.1:1"),
    "The agent's URL must not contain a user name or password. Pass `basic(user, password)` in `credentials` if the card has a scheme for it; if the card itself needs it, pass an `Authorization` header in `headers`",
  ],
];
for (const [mistake, provoke, message] of thrown) {
  test(`the error says cause and remedy: ${mistake}`, async () => {
    await assert.rejects(async () => provoke(), { message });
  });
}

test("the error says cause and remedy: a port that is in use", async (t) => {
  const { port } = await serveFor(t, agent);
  await assert.rejects(serve(agent, { port }), {
    code: "EADDRINUSE",
    message: `Port ${port} is in use by another server, often an earlier run: \`lsof -i :${port}\` names it. Stop it, or choose another port; \`port: 0\` takes a free one`,
  });
});

test("a card that is nested too deep is not called invalid JSON", async () => {
  const fetch = async () => new Response(`${"[".repeat(101)}${"]".repeat(101)}`);
  await assert.rejects(connect("https://agent.example", { fetch }), {
    code: "INVALID_RESPONSE",
    message: /sent no readable JSON: /,
  });
});

test("SEC-12: the error for a card that redirects to a URL with a password does not repeat the password", async () => {
  const location = "http://me:secret@127.0.0.1:1/card";
  const redirecting: typeof fetch = (input, init) =>
    String(input) === location
      ? fetch(input, init)
      : Promise.resolve(new Response("", { status: 302, headers: { location } }));
  await assert.rejects(connect("http://127.0.0.1:1", { fetch: redirecting }), ({ code, message }: any) => {
    assert.equal(code, "UNREACHABLE");
    assert.doesNotMatch(message, /secret/);
    return true;
  });
});

test("the error says cause and remedy: an agent whose certificate is self-signed", async (t) => {
  const { cert, key } = certify({ subject: { CN: "localhost" }, names: ["DNS:localhost"] });
  const server = createServer({ cert, key }, (_, response) => response.end("{}"));
  t.onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await assert.rejects(connect(`https://localhost:${port}`), ({ message }: Error) => {
    assert.match(
      message,
      /^https:\/\/localhost:\d+\/\S* cannot be reached \([A-Z_]+\): the server's certificate is signed by an untrusted authority\. Pass the authority's certificate in the option "ca" or --ca where there is one, else name its file in NODE_EXTRA_CA_CERTS$/,
    );
    return true;
  });
});

/** A logger that keeps its lines: the words, and the message of the error in a line. */
function lines() {
  const kept: string[] = [];
  const keep = (fields: { err?: unknown }, words: string) => {
    const { err } = fields;
    const cause = err instanceof Error && err.cause instanceof Error ? err.cause : err;
    kept.push(cause instanceof Error ? `${words}: ${cause.message}` : words);
  };
  const logger = { debug() {}, info() {}, warn: keep, error: keep } as NonNullable<ServeOptions["logger"]>;
  return { kept, logger };
}

const advice = "yield working(...), artifact(...).text(...), completed(...) or reply(...)";
/** What an executor without types may give, and what the log says of it. */
const given: readonly [name: string, execute: () => unknown, message: string][] = [
  ...(
    [
      ["a string", "done"],
      ["a number", 5],
      ["undefined", undefined],
      ["null", null],
    ] as const
  ).map(([name, value]): [string, () => unknown, string] => [
    name,
    async function* () {
      yield value;
    },
    `The executor gave ${name} instead of an update: ${advice}`,
  ]),
  [
    "a promise",
    // A generator would await it.
    () => ({ [Symbol.asyncIterator]: () => ({ next: async () => ({ value: Promise.resolve() }) }) }),
    "The executor gave a promise instead of an update: put `await` before it",
  ],
  ["a returned string", async () => "done", `The executor gave a string instead of an update: ${advice}`],
  ["a string at once", () => "done", `The executor gave a string instead of an update: ${advice}`],
  [
    "undefined at once",
    () => undefined,
    "The executor ended without an update: yield one, or return a reply",
  ],
];
for (const [name, execute, message] of given) {
  test(`the log says cause and remedy: an executor that gives ${name}`, async (t) => {
    const { kept, logger } = lines();
    const { rpc } = await serveFor(t, { card: plainCard, execute: execute as never }, { logger });
    assert.equal((await rpc.call("SendMessage", text("go"))).error, "INVALID_AGENT_RESPONSE");
    assert.ok(
      kept.some((line) => line.endsWith(message)),
      kept.join("\n"),
    );
  });
}

test("the log says cause and remedy: a body that express.json() has read before", async (t) => {
  const { kept, logger } = lines();
  const app = createApp({ card: plainCard, execute: async () => reply("hi") }, { logger });
  const url = await listening(t, express().use(express.json(), app.callback()));
  const message = text("go");
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "A2A-Version": "1.0" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: message }),
  });
  assert.equal(((await response.json()) as any).error.code, -32603);
  assert.deepEqual(kept, [
    "A request failed: The body of a request was read before the agent could read it: mount the agent before anything that reads bodies, or use a parser that leaves its result on the request",
  ]);
});

test("the log says cause and remedy: a page of an origin that `cors` does not name", async (t) => {
  const { kept, logger } = lines();
  const { url } = await serveFor(t, agent, { logger });
  const headers = { Origin: "https://app.example", "Access-Control-Request-Method": "POST" };
  const preflight = await fetch(url, { method: "OPTIONS", headers });
  assert.equal(preflight.headers.get("access-control-allow-origin"), null);
  assert.deepEqual(kept, [
    'Refused a page of https://app.example: the option cors: ["https://app.example"] lets it call the agent',
  ]);
});

async function listening(t: TestContext, app: express.Express): Promise<string> {
  const server = app.listen(0, "127.0.0.1");
  t.onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("the error of a package that an optional one lacks is left as it is", () => {
  const broken = Object.assign(new Error("Cannot find module '@libsql/linux-x64-gnu'"), {
    code: "MODULE_NOT_FOUND",
  });
  const load = (() => {
    throw broken;
  }) as unknown as NodeJS.Require;
  assert.throws(
    () => sqliteDriver(load),
    (error) => error === broken,
  );
});
