import assert from "node:assert/strict";
import { createClient } from "@libsql/client/http";
import { type TestContext, test } from "vitest";
import { storeError } from "../../../src/stores/libsql/database-fault.js";
import { LibsqlStore } from "../../../src/stores/libsql/index.js";
import { StoreError } from "../../../src/stores/store-error.js";
import { emptySqld, withoutSqld as skip } from "../../support/sqld.js";
import { changed, created, taskId, wrote } from "../../task-log/entries.js";
import { scope } from "../scope.js";
import { type Fault, faultyProxy, refusal } from "./faulty-proxy.js";

const token = "very-secret";
const APPEND = /INSERT INTO parley_entries/;

async function proxied(t: TestContext) {
  const url = await emptySqld();
  const proxy = await faultyProxy(url, t);
  const store = await LibsqlStore.open({ url: proxy.url, authToken: token, statementTimeout: 2000 });
  t.onTestFinished(() => store.close());
  return { url, proxy, store };
}

/** What a call rejects with. */
async function failureOf(call: Promise<unknown>): Promise<Error> {
  const error = await call.then(
    () => assert.fail("the call succeeded"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Error);
  return error;
}

/** An error with everything that a log would have of it. */
function allOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.stack} ${JSON.stringify(error)} ${JSON.stringify(Object.entries(error))} ${allOf(error.cause)}`;
}

const echo = `<h1>Refused</h1><pre>authorization: Bearer ${token}</pre>`;
/** Texts with which gateways and servers refuse, by their media type. */
const texts = {
  "text/html": echo,
  "text/plain": echo,
  "application/json": JSON.stringify({ message: echo }),
};

for (const [status, kind] of [
  [400, "permanent"],
  [401, "permanent"],
  [403, "permanent"],
  [404, "permanent"],
  [413, "entry"],
] as const) {
  for (const [type, text] of Object.entries(texts)) {
    test(`SEC-12: an append that is refused with HTTP ${status} and ${type} fails at once, as ${kind}, and its error has no token`, {
      skip,
    }, async (t) => {
      const { proxy, store } = await proxied(t);
      void proxy.spoil(APPEND, refusal(status, type, text));
      const error = await failureOf(store.append(scope, taskId, 0, [created()]));
      assert.ok(error instanceof StoreError && error.kind === kind, allOf(error));
      assert.match(error.message, new RegExp(`HTTP status ${status}`));
      assert.doesNotMatch(allOf(error), /secret/);
      proxy.spoilAll(refusal(status, type, text));
      const read = await failureOf(store.load(scope, taskId));
      assert.match(read.message, new RegExp(`HTTP status ${status}`));
      assert.doesNotMatch(allOf(read), /secret/);
      proxy.spoilAll();
      assert.equal(await store.append(scope, taskId, 0, [created()]), 1);
    });
  }
}

/** Responses after which a request is sent again. */
const passing: Readonly<Record<string, Fault>> = {
  "HTTP 429": refusal(429),
  "HTTP 502": refusal(502),
  "HTTP 503 with JSON": refusal(503, "application/json", '{"message":"starting"}'),
  "HTTP 200 with the page of a gateway": refusal(200),
  "HTTP 200 without a body": refusal(200, "application/json", ""),
};
for (const [name, fault] of Object.entries(passing)) {
  test(`a request is repeated after ${name}, and the append is stored once`, { skip }, async (t) => {
    const { proxy, store } = await proxied(t);
    void proxy.spoil(APPEND, fault, fault);
    assert.equal(await store.append(scope, taskId, 0, [created()]), 1);
    assert.equal(proxy.requests.filter((body) => APPEND.test(body)).length, 3);
    void proxy.spoil(/octet_length/, fault, fault);
    assert.equal((await store.load(scope, taskId))?.generation, 1);
  });
}

test("SEC-12: a store whose server refuses its token is refused at once, with an error that names the host and no token", {
  skip,
}, async (t) => {
  const proxy = await faultyProxy(await emptySqld(), t);
  proxy.spoilAll(refusal(401, "application/json", JSON.stringify({ message: `Bearer ${token}` })));
  for (const url of [proxy.url, `${proxy.url}?authToken=${token}`]) {
    const error = await failureOf(LibsqlStore.open({ url, authToken: token }));
    assert.equal(
      error.message,
      `The libSQL server at ${new URL(url).host} cannot be used (HTTP status 401): check that it is running and that its URL and authToken are correct`,
    );
    assert.doesNotMatch(allOf(error), /secret/);
  }
  assert.equal(proxy.requests.length, 2);
});

for (const url of [
  `http://user:${token}@127.0.0.1:1`,
  `libsql://${token}@127.0.0.1:1?tls=0`,
  `libsql://127.0.0.1:99999?authToken=${token}`,
  `libsql://127.0.0.1:1?authtoken=${token}`,
  `libsql://127.0.0.1?tls=0&authToken=${token}`,
  `libsql://127.0.0.1:1?tls=0#${token}`,
  `libsql://127.0.0.1:1/%zz?authToken=${token}`,
  `libsql://[::1?authToken=${token}`,
  `libsql://a b?authToken=${token}`,
  `http://127.0.0.1:1?tls=1&authToken=${token}`,
]) {
  test(`SEC-12: a URL that cannot be used is refused at once, without its token: ${url}`, async () => {
    const begin = performance.now();
    const error = await failureOf(LibsqlStore.open({ url }));
    assert.doesNotMatch(allOf(error), /secret/);
    assert.ok(performance.now() - begin < 5000);
  });
}

for (const url of [
  `https://127.0.0.1:99999?authToken=${token}`,
  `libsql://[::1?authToken=${token}`,
  `http://a b?authToken=${token}`,
  `http://a\\b?authToken=${token}`,
]) {
  test(`SEC-12: the error for a URL with an invalid host or port says what is allowed, without the token: ${url}`, async () => {
    const error = await failureOf(LibsqlStore.open({ url }));
    assert.ok(error instanceof TypeError);
    assert.match(error.message, /^url must have a valid host and, if any, a port .*, as in libsql:\/\//);
    assert.doesNotMatch(allOf(error), /secret/);
  });
}

for (const options of [
  { url: "http://127.0.0.1:1", authToken: `a\n${token}` },
  { url: "http://127.0.0.1:1", authToken: `${token}\u2013` },
  { url: `http://127.0.0.1:1?authToken=a%0A${token}` },
  { url: `http://127.0.0.1:1?authToken=${token}%E2%80%93` },
]) {
  test(`SEC-12: a token that a header cannot carry is refused, and not repeated: ${JSON.stringify(options)}`, async () => {
    const error = await failureOf(LibsqlStore.open(options));
    assert.ok(error instanceof TypeError);
    assert.match(error.message, /authToken .*must .* printable ASCII/);
    assert.doesNotMatch(allOf(error), /secret/);
  });
}

test("an append with an entry that the server refuses as too large is refused alone", { skip }, async (t) => {
  const { proxy, store } = await proxied(t);
  const text = "x".repeat(12_000_000);
  const append = (n: number) => {
    const id = `task ${n}`;
    const more = n === 7 ? [wrote({ artifactId: "a", parts: [{ text }] }, {}, id)] : [];
    return store.append(scope, id, 0, [created({ id }), ...more]);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => append(n)));
  const refused = outcomes.flatMap((one, n) => (one.status === "rejected" ? [[n, one.reason] as const] : []));
  assert.deepEqual(
    refused.map(([n]) => n),
    [7],
  );
  const [[, error] = []] = refused;
  assert.ok(error instanceof StoreError && error.kind === "entry", allOf(error));
  assert.match(error.message, /too big/);
  assert.equal((await store.list(scope, { pageSize: 1 })).totalSize, 19);
  assert.ok(proxy.requests.filter((body) => APPEND.test(body)).length <= 12);
});

test("an append that a gateway refuses as too large is refused alone", { skip }, async (t) => {
  const { proxy, store } = await proxied(t);
  // A gateway with a limit on bodies.
  void proxy.spoil(/gigantic/, ...Array.from({ length: 9 }, () => refusal(413)));
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => {
      const id = `task ${n}`;
      return store.append(scope, id, 0, [created({ id, metadata: n === 7 ? { size: "gigantic" } : {} })]);
    }),
  );
  const refused = outcomes.flatMap((one, n) => (one.status === "rejected" ? [[n, one.reason.kind]] : []));
  assert.deepEqual(refused, [[7, "entry"]]);
});

test("appends to a table that is gone are refused for good, all with one request", { skip }, async (t) => {
  const { url, proxy, store } = await proxied(t);
  await store.append(scope, "first", 0, [created({ id: "first" })]);
  const client = createClient({ url });
  await client.execute("ALTER TABLE parley_entries RENAME TO parley_away");
  t.onTestFinished(async () => {
    await client.execute("ALTER TABLE parley_away RENAME TO parley_entries");
    client.close();
  });
  proxy.requests.length = 0;
  const outcomes = await Promise.allSettled(
    ["a", "b", "c"].map((id) => store.append(scope, id, 0, [created({ id })])),
  );
  for (const outcome of outcomes) {
    const { reason } = outcome as PromiseRejectedResult;
    assert.ok(reason instanceof StoreError && reason.kind === "permanent", String(reason));
  }
  assert.equal(proxy.requests.length, 1);
});

test("a log that is at another generation is no error of the store", { skip }, async (t) => {
  const { store } = await proxied(t);
  await store.append(scope, taskId, 0, [created()]);
  await assert.rejects(store.append(scope, taskId, 0, [created()]), { name: "GenerationConflict" });
  await assert.rejects(
    store.append(scope, taskId, 1, [changed("TASK_STATE_WORKING", { id: "x" })]),
    TypeError,
  );
});

/** Codes of libSQL and of its driver, and how a failure with each is dealt with. */
const kinds = {
  entry: ["SQLITE_TOOBIG", "SQLITE_CONSTRAINT", "SQLITE_CONSTRAINT_DATATYPE", "ARGS_INVALID"],
  permanent: [
    "SQLITE_READONLY",
    "SQLITE_CORRUPT",
    "SQLITE_UNKNOWN",
    "SQL_PARSE_ERROR",
    "BLOCKED",
    "HRANA_PROTO_ERROR",
  ],
  transient: [
    "SQLITE_BUSY",
    "SQLITE_LOCKED",
    "SQLITE_FULL",
    "SQLITE_IOERR_WRITE",
    "STREAM_EXPIRED",
    "UNKNOWN",
    "ANOTHER",
  ],
};
for (const [kind, codes] of Object.entries(kinds)) {
  test(`errors of libSQL that are ${kind}: ${codes.join(", ")}`, () => {
    for (const code of codes) {
      const error = storeError(Object.assign(new Error("failed"), { name: "LibsqlError", code }));
      assert.ok(error instanceof StoreError && error.kind === kind, `${code}: ${String(error)}`);
    }
  });
}

test("an error that libSQL did not send is left as it is", () => {
  for (const error of [new TypeError("x"), Object.assign(new Error("y"), { code: "ERR_X" }), "text"])
    assert.equal(storeError(error), error);
});
