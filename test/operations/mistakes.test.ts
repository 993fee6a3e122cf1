import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "vitest";
import { UnimplementedHandler } from "../../src/bridges/index.js";
import { completed, defineAgent } from "../../src/index.js";
import { pushReceiver, UrlGuard } from "../../src/push/index.js";
import { apiKeys, basicUsers, bearerTokens, serve } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { openFault } from "../../src/stores/postgres/database-fault.js";
import { PostgresStore } from "../../src/stores/postgres/index.js";
import { SqliteStore } from "../../src/stores/sqlite/index.js";
import { plainCard } from "../support/peer.js";
import { root } from "../support/root.js";

const agent = {
  card: plainCard,
  async *execute() {
    yield completed();
  },
};

/** What a program without types may give to the library, and the whole message of the error. */
const mistakes: readonly [mistake: string, provoke: () => unknown, message: string][] = [
  [
    "a server without an agent",
    () => serve(undefined as never),
    "agent: undefined is not an agent. Use defineAgent({ card, execute })",
  ],
  [
    "an agent whose `await` is missing",
    () => serve(Promise.resolve(agent) as never),
    "agent: a promise is not an agent: put `await` before it",
  ],
  [
    "one of several agents whose `await` is missing",
    () => serve({ "/writer": Promise.resolve(agent) as never }),
    'agents["/writer"]: a promise is not an agent: put `await` before it',
  ],
  [
    "an agent without a card",
    () => serve({ execute: agent.execute } as never),
    'agent: the card is missing, such as card: { name: "Echo", description: "Repeats your text." }',
  ],
  [
    "an agent that does nothing",
    () => serve({ card: plainCard } as never),
    "agent: an agent needs a function `execute`",
  ],
  [
    "an agent of skills that defineAgent has not made",
    () => serve({ card: plainCard, skills: [] } as never),
    "agent: an agent with skills must be made with defineAgent",
  ],
  [
    "a misspelt member of an agent",
    () => serve({ ...agent, extenions: [] } as never),
    'there is no option "extenions"; did you mean "extensions"?',
  ],
  [
    "a handler that is a class",
    () => serve({ card: plainCard, handler: UnimplementedHandler as never }),
    "agent: handler is the class RefusingHandler instead of an object: write `new RefusingHandler()`",
  ],
  [
    "a handler that is not there",
    () => serve({ card: plainCard, handler: undefined as never }),
    "agent: handler must be an object with a method for each operation, not undefined",
  ],
  [
    "a handler with some of the operations",
    () => serve({ card: plainCard, handler: { sendMessage() {} } as never }),
    "agent: handler has no method sendStreamingMessage. Extend UnimplementedHandler of a2a-parley/bridges to refuse the operations that it does not have",
  ],
  [
    "a handler beside an executor",
    () => serve({ ...agent, handler: new UnimplementedHandler() } as never),
    'there is no option "execute"',
  ],
  [
    "a handler in defineAgent",
    () => defineAgent({ card: plainCard, handler: new UnimplementedHandler() } as never),
    "An agent with a handler needs no defineAgent: pass { card, handler } to `serve`",
  ],
  [
    "a class of a store",
    () => serve(agent, { store: MemoryStore as never }),
    'store: the class MemoryStore is not a task store. Use new SqliteStore({ file: "tasks.db" }) of a2a-parley/stores/sqlite, await PostgresStore.open({ url }) of a2a-parley/stores/postgres, or await LibsqlStore.open({ url }) of a2a-parley/stores/libsql',
  ],
  [
    "a misspelt option of the store in memory",
    () => new MemoryStore({ maxBtyes: 1 } as never),
    'there is no option "maxBtyes"; did you mean "maxBytes"?',
  ],
  [
    "one time for all states",
    () => new MemoryStore({ ttl: 1000 as never }),
    "ttl must have milliseconds by state, as in { TASK_STATE_COMPLETED: 3_600_000 }, not 1000",
  ],
  [
    "a time for a state that there is not",
    () => new MemoryStore({ ttl: { TASK_STATE_COMPLETE: 1000 } as never }),
    'ttl: there is no option "TASK_STATE_COMPLETE"; did you mean "TASK_STATE_COMPLETED"?',
  ],
  [
    "a misspelt option of the store of SQLite",
    () => new SqliteStore({ file: ":memory:", syncronous: "full" } as never),
    'there is no option "syncronous"; did you mean "synchronous"?',
  ],
  [
    "a value of `synchronous` that there is not",
    () => new SqliteStore({ file: ":memory:", synchronous: "off" as never }),
    'synchronous must be "full" or "normal"',
  ],
  [
    "a file of SQLite with a scheme",
    () => new SqliteStore({ file: "sqlite:tasks.db" }),
    'file must be a path without a scheme: "tasks.db" instead of "sqlite:tasks.db"',
  ],
  [
    "a URL of libSQL in place of a file of SQLite",
    () => new SqliteStore({ file: "libsql://agent.turso.io?authToken=secret" }),
    "file must be a path; for a server use LibsqlStore.open({ url }) of a2a-parley/stores/libsql",
  ],
  [
    "an HTTP URL in place of a file of SQLite",
    () => new SqliteStore({ file: "https://agent.turso.io" }),
    "file must be a path; for a server use LibsqlStore.open({ url }) of a2a-parley/stores/libsql",
  ],
  [
    "a file of SQLite in a folder that there is not",
    () => new SqliteStore({ file: "/nowhere/tasks.db" }),
    "The database file /nowhere/tasks.db cannot be opened: there is no folder /nowhere",
  ],
  [
    "a folder as the file of SQLite",
    () => new SqliteStore({ file: root }),
    `The database file ${root} cannot be opened: it is a folder`,
  ],
  [
    "a file that is not one of SQLite",
    () => new SqliteStore({ file: join(root, "package.json") }),
    `${join(root, "package.json")} is not an SQLite database`,
  ],
  [
    "a misspelt option of the store of PostgreSQL",
    () => PostgresStore.open({ url: "postgres://127.0.0.1:1/tasks", conections: 3 } as never),
    'there is no option "conections"; did you mean "connections"?',
  ],
  [
    "a store of PostgreSQL made with `new`",
    () => new (PostgresStore as unknown as new (options: object) => PostgresStore)({ url: "postgres://h" }),
    "A store is opened with `await PostgresStore.open({ url })`",
  ],
  [
    "keys of callers as a text",
    () => apiKeys("alice-key" as never),
    'A verifier needs ids by secret, such as apiKeys({ [process.env.ALICE_KEY]: "alice" }), or a function, not a string',
  ],
  [
    "keys of callers as a list",
    () => bearerTokens(["alice-key"] as never),
    'A verifier needs ids by secret, such as apiKeys({ [process.env.ALICE_KEY]: "alice" }), or a function, not a list',
  ],
  [
    "users that are not there",
    () => basicUsers(undefined as never),
    'A verifier needs ids by secret, such as apiKeys({ [process.env.ALICE_KEY]: "alice" }), or a function, not undefined',
  ],
  [
    "a table instead of a verifier",
    () => serve(agent, { auth: { verifiers: { key: { "alice-key": "alice" } as never } } }),
    "auth.verifiers.key is not a verifier: use apiKeys, bearerTokens, jsonWebTokens or another function of a2a-parley/server",
  ],
  ...(
    [
      ["bindings", "JSONRPC", 'a list, such as ["JSONRPC"]'],
      ["versions", "1.0", "a list of versions"],
      [
        "cors",
        "https://app.example.com",
        'a list of origins, such as ["https://app.example.com"], or "*" for any',
      ],
      ["rateLimit", 30, "an object, such as { requests: 30, seconds: 10 }, or a limiter"],
      ["whenClosing", "wait", '"abort" or "finish"'],
      ["requireExtensionsOn", "never", '"send" or "all"'],
      [
        "logger",
        true,
        "an object with the methods debug, info, warn and error, such as pino() or console, or false for none",
      ],
      ["interceptors", () => undefined, "a list of functions"],
      ["audit", true, "a function"],
      [
        "telemetry",
        true,
        "what openTelemetry() of a2a-parley/opentelemetry returns, or an object with its methods",
      ],
      ["cardKeys", {}, "a list of keys"],
      [
        "auth",
        true,
        'an object, such as { verifiers: { key: apiKeys({ [process.env.ALICE_KEY]: "alice" }) } }, with the names of the schemes in the card',
      ],
      ["push", true, "an object with the options of webhooks, or {} for the defaults"],
      ["limits", 5, "an object, such as { body: 1024 * 1024 }"],
      ["trustProxy", "loopback", "true or false"],
      ["paths", "/rpc", 'an object, such as { jsonRpc: "/rpc" }'],
      ["metrics", () => "", 'an object, such as { read: prometheus.read, allow: "everyone" }'],
    ] as const
  ).map(([name, value, words]): [string, () => unknown, string] => [
    `a wrong value of \`${name}\``,
    () => serve(agent, { [name]: value } as never),
    `${name} must be ${words}`,
  ]),
  [
    "a misspelt member of `rateLimit`",
    () => serve(agent, { rateLimit: { requests: 3, second: 1 } as never }),
    'rateLimit: there is no option "second"; did you mean "seconds"?',
  ],
  [
    "a receiver of notifications without options",
    () => pushReceiver(undefined as never),
    "expect must be a function",
  ],
  [
    "a misspelt option of a receiver of notifications",
    () => pushReceiver({ expect: () => undefined, onNotificaton() {} } as never),
    'there is no option "onNotificaton"; did you mean "onNotification"?',
  ],
  [
    "a misspelt option of a guard of URLs",
    () => new UrlGuard({ allowHTTP: true } as never),
    'there is no option "allowHTTP"; did you mean "allowHttp"?',
  ],
];
for (const [mistake, provoke, message] of mistakes) {
  test(`the error says cause and remedy: ${mistake}`, async () => {
    await assert.rejects(async () => provoke(), { message });
  });
}

test("the error says cause and remedy: a server of PostgreSQL that cannot be reached, also by several addresses", () => {
  const url = "postgres://user:secret@localhost:1/tasks";
  const refusals = ["::1", "127.0.0.1"].map((address) => new Error(`connect ECONNREFUSED ${address}:1`));
  for (const [fault, said] of [
    [
      Object.assign(new AggregateError(refusals), { code: "ECONNREFUSED" }),
      refusals.map(({ message }) => message),
    ],
    [
      Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" }),
      [refusals[1]?.message],
    ],
  ] as const) {
    const { message, cause } = openFault(fault, url) as Error;
    const remedy = "check that it is running and that the URL is correct";
    assert.equal(message, `PostgreSQL at localhost:1 cannot be used (${said.join(", ")}): ${remedy}`);
    assert.equal(cause, fault);
  }
  const socket = Object.assign(new Error("connect ENOENT /run/pg/.s.PGSQL.5432"), { code: "ENOENT" });
  for (const [hostless, place] of [
    // `URL` refuses this one.
    ["postgres://user:secret@/tasks?host=/run/pg", ""],
    ["postgres:///tasks?host=/run/pg", " at /run/pg"],
    ["postgres://user:secret@%2Frun%2Fpg/tasks", " at /run/pg"],
    ["postgres://user:secret@%zz/tasks", ""],
  ] as const) {
    const { message } = openFault(socket, hostless) as Error;
    const remedy = "check that it is running and that the URL is correct";
    assert.equal(message, `PostgreSQL${place} cannot be used (${socket.message}): ${remedy}`);
  }
  const other = new Error("permission denied");
  assert.equal(openFault(other, url), other);
});
