import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { ClientError, connect, type RemoteError, userMessage } from "../../src/client/index.js";
import type { AgentInterface } from "../../src/protocol/model.js";
import { fakeTimers } from "../support/fake-timers.js";
import {
  cardOf,
  clientOf,
  completed,
  eventStream,
  failure,
  frames,
  json,
  origin,
  result,
  type Seen,
  statusOf,
  task,
} from "./scripted.js";

/** What Node's `fetch` throws when a connection fails. */
function broken(code: string, syscall = "connect"): Error {
  const cause = Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
  return Object.assign(new TypeError("fetch failed"), { cause });
}

/** Fails a number of times, then answers. */
function after(failures: number, fail: (request: Seen) => Response, value: unknown = task) {
  return (request: Seen, index: number): Response =>
    index < failures ? fail(request) : result(request, value);
}

const lost = (): never => {
  throw broken("ECONNRESET");
};

const once = { card: cardOf({ supportedInterfaces: cardOf().supportedInterfaces.slice(0, 1) }) };

test("IDEM-06: reads, cancels and deletes are repeated after a lost connection", async () => {
  const { client, seen } = await clientOf(after(2, lost), once);
  assert.equal((await client.getTask({ id: "t" })).id, "t");
  assert.equal(seen.length, 3);
  const canceling = await clientOf(after(1, lost), once);
  await canceling.client.cancelTask({ id: "t" });
  assert.equal(canceling.seen.length, 2);
  const deleting = await clientOf(after(1, lost, null), once);
  await deleting.client.deleteTaskPushNotificationConfig({ taskId: "t", id: "p" });
  assert.equal(deleting.seen.length, 2);
});

test("IDEM-06: sends and registrations are not repeated on the client's own account", async () => {
  const { client, seen } = await clientOf(after(1, lost, { task }), once);
  await assert.rejects(client.sendText("x"), { code: "UNREACHABLE" });
  await assert.rejects((await clientOf(after(1, lost), once)).client.stream("x").result(), {
    code: "UNREACHABLE",
  });
  const config = await clientOf(after(1, lost), once);
  await assert.rejects(config.client.pushConfigs("t").create({ url: "https://h.example" }), {
    code: "UNREACHABLE",
  });
  assert.equal(seen.length, 1);
});

test("IDEM-06, OBJ-02: a send that is safe to repeat is repeated with the same message id", async () => {
  const { client, seen } = await clientOf(after(2, lost, { task }), once);
  await client.sendText("x", { safeToRepeat: true });
  const ids = seen.map(({ json }) => json.params.message.messageId);
  assert.equal(ids.length, 3);
  assert.equal(new Set(ids).size, 1);
  const [first, second] = [userMessage("x"), userMessage("x")];
  assert.notEqual(first.messageId, second.messageId);
  const streaming = await clientOf(
    (request, index) =>
      index === 0 ? lost() : eventStream(frames(request, [{ task }, statusOf(completed)])),
    once,
  );
  await streaming.client.stream("x", { safeToRepeat: true }).result();
  assert.equal(
    streaming.seen[0]?.json.params.message.messageId,
    streaming.seen[1]?.json.params.message.messageId,
  );
});

test("IDEM-06: what is repeated is a passing failure, as often as the caller allows", async () => {
  const busy = await clientOf(
    after(9, () => new Response("", { status: 503, headers: { "Retry-After": "0" } })),
    once,
  );
  await assert.rejects(busy.client.getTask({ id: "t" }), { code: "UNAVAILABLE" });
  assert.equal(busy.seen.length, 3);
  const absent = await clientOf(
    after(9, (request) => failure(request, -32001)),
    once,
  );
  await assert.rejects(absent.client.getTask({ id: "t" }), { code: "TASK_NOT_FOUND" });
  assert.equal(absent.seen.length, 1);
  const never = await clientOf(after(9, lost), { ...once, retry: false });
  await assert.rejects(never.client.getTask({ id: "t" }), { code: "UNREACHABLE" });
  assert.equal(never.seen.length, 1);
  const cut = await clientOf((request, index) => (index === 0 ? cutAnswer() : result(request, task)), once);
  await cut.client.getTask({ id: "t" });
  assert.equal(cut.seen.length, 2);
});

function cutAnswer(): Response {
  const { body } = eventStream(["{"], "cut");
  return new Response(body, { headers: { "Content-Type": "application/json" } });
}

test("an agent that asks to wait is not asked again before that", async () => {
  fakeTimers(["setTimeout", "clearTimeout"]);
  const { client, seen } = await clientOf(
    after(1, () => new Response("", { status: 429, headers: { "Retry-After": "7" } })),
    once,
  );
  const call = client.getTask({ id: "t" });
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  await settle();
  vi.advanceTimersByTime(6900);
  await settle();
  assert.equal(seen.length, 1);
  vi.advanceTimersByTime(200);
  await call;
  assert.equal(seen.length, 2);
});

test("an agent that asks for a longer wait than minutes is not waited for: the caller decides", async () => {
  for (const wait of ["301", "2147484", "99999999999", "9".repeat(400), "Fri, 31 Dec 9999 23:59:59 GMT"]) {
    const busy = () => new Response("", { status: 429, headers: { "Retry-After": wait } });
    const { client, seen } = await clientOf(after(1, busy), once);
    await assert.rejects(
      client.getTask({ id: "t" }),
      (error: RemoteError) => error.code === "RATE_LIMITED" && (error.retryAfter ?? 0) > 300,
    );
    assert.equal(seen.length, 1);
    const following = await clientOf(
      (request) =>
        request.json.method === "SubscribeToTask" ? busy() : eventStream(frames(request, [{ task }])),
      once,
    );
    await assert.rejects(following.client.stream("x").result(), { code: "RATE_LIMITED" });
    assert.equal(following.seen.length, 2);
  }
});

test("CLI-08: a signal ends a call that is about to be repeated", async () => {
  const stop = new AbortController();
  const { client } = await clientOf(
    () => {
      setImmediate(() => stop.abort(new Error("enough")));
      return lost();
    },
    { ...once, retry: { first: 100 } },
  );
  await assert.rejects(client.getTask({ id: "t" }, { signal: stop.signal }), /enough/);
});

test("CLI-03: when nobody is at an interface the next one is tried, and kept", async () => {
  const warnings: string[] = [];
  const logger = {
    debug() {},
    info() {},
    error() {},
    warn: (_: object, text: string) => warnings.push(text),
  };
  const { client, seen } = await clientOf(
    ({ method }) => {
      if (method === "POST") throw broken("ECONNREFUSED");
      return json(task);
    },
    { logger },
  );
  assert.equal(client.agentInterface.protocolBinding, "JSONRPC");
  await client.getTask({ id: "t" });
  assert.equal(client.agentInterface.protocolBinding, "HTTP+JSON");
  await client.getTask({ id: "t" });
  assert.deepEqual(
    seen.map(({ method }) => method),
    ["POST", "GET", "GET"],
  );
  assert.deepEqual(warnings, ["An interface cannot be reached; trying this one"]);
});

test("CLI-03: an OAuth issuer that cannot be reached makes no interface count as unreachable", async () => {
  const door = { httpAuthSecurityScheme: { scheme: "bearer" } };
  const unreachable = new ClientError("UNREACHABLE", "The issuer cannot be reached");
  const { client, seen } = await clientOf(() => json(task), {
    card: cardOf({ securitySchemes: { door }, securityRequirements: [{ schemes: { door: { list: [] } } }] }),
    credentials: () => Promise.reject(unreachable),
    retry: false,
  });
  const { agentInterface } = client;
  await assert.rejects(client.getTask({ id: "t" }), unreachable);
  assert.deepEqual([client.agentInterface, seen], [agentInterface, []]);
});

test("CLI-03: a send goes to the next interface only when it provably never left", async () => {
  const at = (code: string, syscall?: string) =>
    clientOf((request) => {
      if (request.json.jsonrpc) throw broken(code, syscall);
      return json({ task });
    });
  for (const code of ["ECONNREFUSED", "EHOSTUNREACH"]) {
    const refused = await at(code);
    assert.equal((await refused.client.sendText("x")).task?.id, "t");
  }
  // A host that becomes unreachable after the request has been written has the code of one that never was reachable.
  for (const [code, syscall] of [
    ["ECONNRESET", "read"],
    ["EHOSTUNREACH", "read"],
    ["ENETUNREACH", "write"],
  ] as const) {
    const reset = await at(code, syscall);
    await assert.rejects(reset.client.sendText("x"), { code: "UNREACHABLE" });
    assert.equal(reset.seen.length, 1);
  }
});

test("CLI-03, TEN-01: a call never goes to an interface of another tenant, only to the next one of its own", async () => {
  const at = (name: string, tenant?: string) => ({
    ...{ url: `${origin}/${name}`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    ...(tenant !== undefined && { tenant }),
  });
  const called = async (...supportedInterfaces: AgentInterface[]) => {
    const { client, seen } = await clientOf(
      () => {
        throw broken("ECONNREFUSED");
      },
      { card: cardOf({ supportedInterfaces }), retry: false },
    );
    await assert.rejects(client.sendText("x"), { code: "UNREACHABLE" });
    await assert.rejects(client.getTask({ id: "t" }), { code: "UNREACHABLE" });
    return seen.map(({ url, json }) => `${url.pathname} ${json.params.tenant}`);
  };
  const others = [at("two", "globex"), at("four")];
  assert.deepEqual(await called(at("one", "acme"), ...others, at("three", "acme")), [
    ...["/one acme", "/three acme"],
    ...["/three acme", "/one acme"],
  ]);
  assert.deepEqual(await called(at("one"), ...others, at("five", "")), [
    ...["/one undefined", "/four undefined", "/five undefined"],
    ...["/five undefined", "/one undefined", "/four undefined"],
  ]);
});

test("CLI-03: when nobody is anywhere the last failure counts", async () => {
  const { client, seen } = await clientOf(
    () => {
      throw broken("ENOTFOUND");
    },
    { retry: false },
  );
  await assert.rejects(client.getTask({ id: "t" }), { code: "UNREACHABLE", message: /ENOTFOUND/ });
  assert.equal(seen.length, 2);
});

test("nothing hangs: an agent that never answers runs into the time limit, that of the call if it has one", async () => {
  const { client } = await clientOf(() => new Promise(() => undefined), {
    ...once,
    retry: false,
    timeouts: { connect: 0.02, total: 30 },
  });
  await assert.rejects(client.getTask({ id: "t" }), { code: "TIMEOUT", message: /"connect"/ });
  await assert.rejects(client.sendText("x", { timeout: 0.02 }), { code: "TIMEOUT", message: /"total"/ });
  await assert.rejects(client.stream("x").result(), { code: "TIMEOUT", message: /"connect"/ });
  await assert.rejects((await trickling()).getTask({ id: "t" }), { code: "TIMEOUT" });
});

/** A client of an agent that begins an answer and never ends it. */
async function trickling() {
  const fetch: typeof globalThis.fetch = async () => {
    const { body } = eventStream(["{"], "open");
    return new Response(body, { headers: { "Content-Type": "application/json" } });
  };
  return connect(once.card, { fetch, timeouts: { total: 0.02 } });
}

test("a fetch that does not listen to its signal is not waited for", async () => {
  const client = await connect(once.card, {
    fetch: () => new Promise(() => undefined),
    timeouts: { total: 0.02 },
  });
  await assert.rejects(client.getTask({ id: "t" }), { code: "TIMEOUT" });
  let discarded = false;
  const late: typeof fetch = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const cancel = () => {
      discarded = true;
    };
    return new Response(new ReadableStream({ cancel }));
  };
  const other = await connect(once.card, { fetch: late, timeouts: { total: 0.005 } });
  await assert.rejects(other.getTask({ id: "t" }), { code: "TIMEOUT" });
  await new Promise((resolve) => setTimeout(resolve, 40));
  assert.equal(discarded, true);
});
