import assert from "node:assert/strict";
import { test } from "vitest";
import { ClientError, type CredentialProvider } from "../../../src/client/index.js";
import {
  cardOf,
  clientOf,
  completed,
  eventStream,
  frames,
  result,
  type Seen,
  statusOf,
  task,
} from "../scripted.js";

const card = cardOf({
  securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: "bearer" } } },
  securityRequirements: [{ schemes: { bearer: { list: [] } } }],
});

/** An agent that takes one token, and answers 401 to any other. */
function guarded(
  good: () => string,
  answer: (request: Seen) => Response = (request) => result(request, task),
) {
  return (request: Seen): Response =>
    request.headers.get("Authorization") === `Bearer ${good()}`
      ? answer(request)
      : new Response("", { status: 401, headers: { "WWW-Authenticate": "Bearer" } });
}

/** Tokens numbered by how often a fresh one was asked for. */
function counting(delay = 0) {
  const asked: (string | undefined)[] = [];
  let token = 1;
  const provider: CredentialProvider = async ({ rejected }) => {
    asked.push(rejected);
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    if (rejected !== undefined) token += 1;
    return String(token);
  };
  return { asked, credentials: provider };
}

test("AUTHN-07: refused credentials are renewed once and the call repeated once, a send too", async () => {
  const { asked, credentials } = counting();
  const { client, seen } = await clientOf(
    guarded(
      () => "2",
      (request) => result(request, { task }),
    ),
    { card, credentials },
  );
  assert.equal((await client.sendText("x")).task?.id, "t");
  assert.deepEqual(asked, [undefined, "1"]);
  assert.equal(seen.length, 2);
  assert.equal(seen[0]?.text, seen[1]?.text);
});

test("AUTHN-07: credentials that are refused again are an error", async () => {
  const { asked, credentials } = counting();
  const { client, seen } = await clientOf(
    guarded(() => "none"),
    { card, credentials },
  );
  await assert.rejects(client.getTask({ id: "t" }), { code: "UNAUTHENTICATED", httpStatus: 401 });
  assert.deepEqual(asked, [undefined, "1"]);
  assert.equal(seen.length, 2);
});

test("a response that refused the credentials is cancelled when they cannot be renewed", async () => {
  let isCancelled = false;
  const body = new ReadableStream({
    cancel() {
      isCancelled = true;
    },
  });
  const credentials: CredentialProvider = ({ rejected }) => {
    if (rejected !== undefined) throw new Error("The keychain is locked");
    return "1";
  };
  const { client } = await clientOf(() => new Response(body, { status: 401 }), { card, credentials });
  await assert.rejects(client.getTask({ id: "t" }), /The keychain is locked/);
  assert.equal(isCancelled, true);
});

test("AUTHN-07: the same credentials are not sent twice", async () => {
  const { client, seen } = await clientOf(
    guarded(() => "none"),
    { card, credentials: { bearer: "1" } },
  );
  await assert.rejects(client.getTask({ id: "t" }), { code: "UNAUTHENTICATED" });
  assert.equal(seen.length, 1);
});

test("AUTHN-07: the same value is sent again in the place of another scheme", async () => {
  const key = (name: string) => ({ apiKeySecurityScheme: { location: "header", name } });
  const either = cardOf({
    securitySchemes: { old: key("X-Old"), current: key("X-Current") },
    securityRequirements: [{ schemes: { old: { list: [] } } }, { schemes: { current: { list: [] } } }],
  });
  const credentials: CredentialProvider = ({ rejected }) => (rejected === undefined ? "k" : undefined);
  const answer = (request: Seen) =>
    request.headers.has("X-Current") ? result(request, task) : new Response("", { status: 401 });
  const { client, seen } = await clientOf(answer, { card: either, credentials });
  await client.getTask({ id: "t" });
  assert.equal(seen.length, 2);
});

test("AUTHN-07: calls that are refused together ask for fresh credentials once", async () => {
  const { asked, credentials } = counting(5);
  const { client, seen } = await clientOf(
    guarded(() => "2"),
    { card, credentials },
  );
  await Promise.all(Array.from({ length: 10 }, () => client.getTask({ id: "t" })));
  assert.deepEqual(
    asked.filter((rejected) => rejected !== undefined),
    ["1"],
  );
  assert.equal(seen.length, 20);
});

test("a call that is refused after others have renewed uses what they got", async () => {
  let good = "1";
  const { asked, credentials } = counting();
  let hold = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    hold = resolve;
  });
  const { client } = await clientOf(
    async (request) => {
      const { id } = request.json.params;
      const answer = guarded(
        () => good,
        () => result(request, { ...task, id }),
      )(request);
      if (id !== "slow" || request.headers.get("Authorization") !== "Bearer 1") return answer;
      await held;
      return new Response("", { status: 401 });
    },
    { card, credentials },
  );
  const slow = client.getTask({ id: "slow" });
  good = "2";
  await client.getTask({ id: "fast" });
  hold();
  await slow;
  assert.deepEqual(
    asked.filter((rejected) => rejected !== undefined),
    ["1"],
  );
});

test("AUTHN-07: a stream comes back with fresh credentials", async () => {
  let good = "1";
  const { credentials } = counting();
  const { client, seen } = await clientOf(
    guarded(
      () => good,
      (request) => {
        if (request.json.method === "SubscribeToTask") {
          return eventStream(frames(request, [{ task }, statusOf(completed)], 1));
        }
        good = "2";
        return eventStream(frames(request, [{ task }], 1));
      },
    ),
    { card, credentials },
  );
  assert.equal((await client.stream("x").result()).task?.status.state, "TASK_STATE_COMPLETED");
  assert.equal(seen.length, 3);
});

test("OP-XCARD-10, OP-XCARD-11: the extended card is fetched with credentials and counts as long as they are good", async () => {
  let good = "1";
  const { client, seen } = await clientOf(
    guarded(
      () => good,
      (request) =>
        result(request, request.json.method === "GetTask" ? task : { ...card, description: "more" }),
    ),
    { card, credentials: { bearer: "1" } },
  );
  await client.getExtendedAgentCard();
  assert.equal(seen[0]?.headers.get("Authorization"), "Bearer 1");
  assert.equal(client.card.description, "more");
  await client.getTask({ id: "t" });
  good = "2";
  await assert.rejects(client.getTask({ id: "t" }));
  assert.equal(client.card.description, card.description);
});

test("OP-XCARD-10: the public card returns when a provider has no credentials in place of those that the agent refuses", async () => {
  let good = "1";
  const { client } = await clientOf(
    guarded(
      () => good,
      (request) => result(request, { ...card, description: "more" }),
    ),
    { card, credentials: ({ rejected }) => (rejected === undefined ? "1" : undefined) },
  );
  await client.getExtendedAgentCard();
  assert.equal(client.card.description, "more");
  good = "2";
  await assert.rejects(client.getTask({ id: "t" }), { code: "CREDENTIALS_MISSING" });
  assert.equal(client.card.description, card.description);
});

test("OP-XCARD-10: the public card returns when the agent refuses the credentials of a resumed stream", async () => {
  let good = "1";
  const { client } = await clientOf(
    guarded(
      () => good,
      (request) => {
        if (request.json.method === "GetExtendedAgentCard")
          return result(request, { ...card, description: "more" });
        good = "2";
        return eventStream(frames(request, [{ task }], 1));
      },
    ),
    { card, credentials: { bearer: "1" } },
  );
  await client.getExtendedAgentCard();
  assert.equal(client.card.description, "more");
  await assert.rejects(client.stream("x").result(), { code: "UNAUTHENTICATED" });
  assert.equal(client.card.description, card.description);
});

const pending = () => new Promise<string>(() => undefined);
for (const [form, credentials] of Object.entries({
  function: pending,
  "provider of a scheme": { bearer: pending },
})) {
  test(`a call whose credentials never come ends with its signal: ${form}`, async () => {
    const { client, seen } = await clientOf((request) => result(request, task), { card, credentials });
    for (const call of [
      (signal: AbortSignal) => client.getTask({ id: "t" }, { signal }),
      (signal: AbortSignal) => client.stream("x", { signal }).result(),
    ]) {
      const controller = new AbortController();
      const answer = assert.rejects(call(controller.signal), /enough/);
      await new Promise((resolve) => setImmediate(resolve));
      controller.abort(new Error("enough"));
      await answer;
    }
    assert.equal(seen.length, 0);
  });
}

test("an issuer that cannot be reached during a renewal does not make the client change its interface", async () => {
  let isAway = false;
  const credentials: CredentialProvider = async ({ rejected }) => {
    if (rejected === undefined) return "1";
    if (isAway) return "2";
    isAway = true;
    throw new ClientError("UNREACHABLE", "https://issuer.example/token cannot be reached");
  };
  const { client, seen } = await clientOf(
    guarded(() => "2"),
    { card, credentials, retry: false },
  );
  await assert.rejects(client.getTask({ id: "t" }), { code: "UNREACHABLE" });
  assert.equal(seen.length, 1);
  assert.equal(client.agentInterface.protocolBinding, "JSONRPC");
  await client.getTask({ id: "t" });
  assert.equal(client.agentInterface.protocolBinding, "JSONRPC");
});
