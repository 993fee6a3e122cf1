import assert from "node:assert/strict";
import { test } from "vitest";
import { UnimplementedHandler } from "../../src/bridges/index.js";
import { A2AError, type Principal } from "../../src/index.js";
import { type Access, type AuthOptions, apiKeys, bearerTokens } from "../../src/server/index.js";
import { plainCard, restPeer, rpcPeer, text } from "../support/peer.js";
import { cardOf, schemes } from "./card.js";
import { bearer, serveGuarded, whoAmI } from "./guarded.js";

const card = cardOf({ bearer: schemes.bearer }, ["bearer"]);
const verifiers = {
  bearer: bearerTokens({
    alice: { id: "alice", claims: { team: "blue", tenant: "red" } },
    bob: { id: "bob", claims: { team: "blue", tenant: "green" } },
    carol: { id: "carol", claims: { team: "red", tenant: "red" } },
  }),
};

test("AUTHZ-05: with a rule of the application, a team shares its tasks and others see none", async (t) => {
  const { peers } = await serveGuarded(t, card, {
    verifiers,
    scope: ({ principal, tenant }) => ({ owner: `team ${principal.claims?.team}`, tenant }),
  });
  for (const peer of peers) {
    const id = (await whoAmI(peer, bearer("alice"))).result.task.id;
    assert.equal((await peer.call("GetTask", { id }, bearer("bob"))).result.id, id);
    assert.equal((await peer.call("GetTask", { id }, bearer("carol"))).error, "TASK_NOT_FOUND");
  }
});

test("AUTHZ-05: a rule that names no owner is a fault of the agent, and nobody's tasks", async (t) => {
  const { peers, lines } = await serveGuarded(t, card, {
    verifiers,
    scope: ({ principal, tenant }) => ({ owner: principal.claims?.missing as string, tenant }),
  });
  for (const peer of peers) {
    assert.equal((await whoAmI(peer, bearer("alice"))).error, "INTERNAL_ERROR");
    assert.equal((await peer.call("ListTasks", {}, bearer("alice"))).error, "INTERNAL_ERROR");
  }
  assert.match(String(lines.find(({ level }) => level === "error")?.facts.err), /auth\.scope/);
});

test("AUTHZ-01, AUTHZ-07: the application is asked about every operation, with its request", async (t) => {
  const asked: Access[] = [];
  const { peers, denials } = await serveGuarded(t, card, {
    verifiers,
    async authorize({ principal }, access) {
      asked.push(access);
      return principal.id === "alice" || access.operation === "ListTasks";
    },
  });
  for (const peer of peers) {
    assert.equal((await whoAmI(peer, bearer("alice"))).principal.id, "alice");
    assert.equal((await peer.call("ListTasks", {}, bearer("bob"))).result.totalSize, 0);
    for (const [operation, params] of [
      ["SendMessage", text("hi")],
      ["SendStreamingMessage", text("hi")],
      ["GetTask", { id: "unknown" }],
      ["SubscribeToTask", { id: "unknown" }],
    ] as const) {
      const { error, response } = await peer.call(operation, params, bearer("bob"));
      assert.deepEqual([error, response.status], ["PERMISSION_DENIED", 403], operation);
    }
  }
  const { agent, operation, request } = asked.at(-1) as Access;
  assert.deepEqual([agent, operation, request], ["", "SubscribeToTask", { id: "unknown" }]);
  assert.equal(denials.length, 8);
  assert.deepEqual(denials.at(-1), {
    agent: "",
    operation: "SubscribeToTask",
    code: "PERMISSION_DENIED",
    reasons: {},
    principal: { id: "bob", scheme: "bearer", claims: { team: "blue", tenant: "green" } },
    address: "127.0.0.1",
  });
});

test("AUTHZ-01: a stream that is permitted goes on as without rules", async (t) => {
  const { peers } = await serveGuarded(t, card, { verifiers, authorize: () => true });
  for (const peer of peers) {
    const kinds: string[] = [];
    for await (const { data } of peer.stream("SendStreamingMessage", text("hi"), {
      headers: bearer("alice"),
    })) {
      kinds.push(Object.keys(data).join());
    }
    assert.deepEqual(kinds, ["task", "artifactUpdate", "statusUpdate"]);
  }
});

test("AUTHZ-01: the application answers with an error of its choice, and anything but true is a refusal", async (t) => {
  const answers: Record<string, () => boolean> = {
    alice: () => {
      throw new A2AError("RATE_LIMITED", "Slow down", { retryAfter: 7 });
    },
    bob: () => "yes" as unknown as boolean,
    carol: () => {
      throw new Error("secret detail");
    },
  };
  const { rest } = await serveGuarded(t, card, {
    verifiers,
    authorize: ({ principal }) => answers[principal.id]?.() ?? true,
  });
  const limited = await whoAmI(rest, bearer("alice"));
  assert.deepEqual([limited.error, limited.response.headers.get("retry-after")], ["RATE_LIMITED", "7"]);
  assert.equal((await whoAmI(rest, bearer("bob"))).error, "PERMISSION_DENIED");
  const broken = await whoAmI(rest, bearer("carol"));
  assert.deepEqual([broken.error, broken.message], ["INTERNAL_ERROR", "Internal error"]);
});

const aboutTasks: [operation: string, params: (id: string) => object][] = [
  ["GetTask", (id) => ({ id })],
  ["CancelTask", (id) => ({ id })],
  ["SubscribeToTask", (id) => ({ id })],
  ["SendMessage", (taskId) => text("more", { message: { taskId } })],
  ["SendStreamingMessage", (taskId) => text("more", { message: { taskId } })],
];
const aboutOthers: [operation: string, params: object][] = [
  ["SendMessage", text("new")],
  ["SendStreamingMessage", text("new")],
  ["ListTasks", {}],
  ["GetExtendedAgentCard", {}],
];

for (const [name, tenants] of [
  ["a list", ["red"]],
  ["a function", async (tenant: string) => tenant === "red"],
] as const) {
  test(`TEN-08: tenants that are not in ${name} do not exist, for tasks and for anything else`, async (t) => {
    const { url } = await serveGuarded(
      t,
      plainCard,
      { tenants },
      { agent: { extendedCard: {}, extendedCardForAnyone: true } },
    );
    for (const [binding, at] of [
      ["JSON-RPC", (tenant: string) => [rpcPeer(url), { tenant }] as const],
      ["HTTP+JSON", (tenant: string) => [restPeer(tenant === "" ? url : `${url}/${tenant}`), {}] as const],
    ] as const) {
      const [red, inRed] = at("red");
      const { id } = (await red.call("SendMessage", { ...text("new"), ...inRed })).result.task;
      assert.equal((await red.call("GetTask", { id, ...inRed })).result.id, id);
      for (const unknown of ["blue", "RED", ""]) {
        const [peer, place] = at(unknown);
        for (const [operation, params] of aboutTasks) {
          const answer = await peer.call(operation, { ...params(id), ...place });
          assert.deepEqual(
            [answer.error, answer.metadata],
            ["TASK_NOT_FOUND", { taskId: id }],
            `${operation} in "${unknown}", ${binding}`,
          );
        }
        for (const [operation, params] of aboutOthers) {
          const answer = await peer.call(operation, { ...params, ...place });
          assert.deepEqual([answer.error, answer.fields], ["INVALID_PARAMS", ["tenant"]], operation);
        }
      }
    }
  });
}

test("TEN-06, TEN-08: whether there is a tenant may depend on the caller", async (t) => {
  const { url } = await serveGuarded(t, card, {
    verifiers,
    tenants: (tenant, { principal }) => principal.claims?.tenant === tenant,
  });
  const list = async (caller: string) =>
    (await restPeer(`${url}/red`).call("ListTasks", {}, bearer(caller))).error;
  assert.equal(await list("alice"), undefined);
  assert.equal(await list("bob"), "INVALID_PARAMS");
});

test("authenticate of the application replaces what the card declares", async (t) => {
  const answers: Record<string, () => Principal | undefined> = {
    dan: () => ({ id: "dan", claims: { team: "green" } }),
    anybody: () => ({ id: "" }),
    refused: () => {
      throw new A2AError("UNAUTHENTICATED", "Ask the front desk", { challenge: 'Desk realm="hall"' });
    },
    broken: () => {
      throw new Error("the directory is down");
    },
    odd: () => ({}) as Principal,
  };
  const auth: AuthOptions = {
    authenticate: async ({ headers }) => answers[String(headers["x-name"])]?.(),
  };
  const { peers, lines } = await serveGuarded(t, card, auth);
  for (const peer of peers) {
    assert.deepEqual((await whoAmI(peer, { "X-Name": "dan" })).principal, {
      id: "dan",
      claims: { team: "green" },
    });
    assert.deepEqual((await whoAmI(peer, { "X-Name": "anybody" })).principal, { id: "" });
    const nobody = await whoAmI(peer);
    assert.deepEqual(
      [nobody.error, nobody.response.headers.get("www-authenticate")],
      ["UNAUTHENTICATED", 'Bearer realm="Guarded agent"'],
    );
    const refused = await whoAmI(peer, { "X-Name": "refused" });
    assert.deepEqual(
      [refused.message, refused.response.headers.get("www-authenticate")],
      ["Ask the front desk", 'Desk realm="hall"'],
    );
    assert.equal((await whoAmI(peer, { "X-Name": "broken" })).error, "INTERNAL_ERROR");
    assert.equal((await whoAmI(peer, { "X-Name": "odd" })).error, "UNAUTHENTICATED");
  }
  assert.ok(lines.some(({ facts }) => String(facts.err).includes("the directory is down")));
});

test("ERR-17, OP-XCARD-03, OP-XCARD-09: who must be known for the extended card is told how", async (t) => {
  for (const [requirements, schemesOf, challenge] of [
    [[], {}, 'Bearer realm="Guarded agent"'],
    [
      [[], ["key"]],
      { key: schemes.key },
      'ApiKey realm="Guarded agent", location="header", name="X-API-Key"',
    ],
  ] as const) {
    const { peers } = await serveGuarded(
      t,
      cardOf(schemesOf, ...requirements),
      "key" in schemesOf ? { verifiers: { key: apiKeys({ "alice-key": "alice" }) } } : {},
      { agent: { extendedCard: { description: "More." } } },
    );
    for (const peer of peers) {
      const { error, response } = await peer.call("GetExtendedAgentCard");
      assert.deepEqual([error, response.status], ["UNAUTHENTICATED", 401]);
      assert.equal(response.headers.get("www-authenticate"), challenge);
      assert.equal(response.headers.get("cache-control"), "private, no-cache");
      if ("key" in schemesOf) {
        const known = await peer.call("GetExtendedAgentCard", {}, { "X-API-Key": "alice-key" });
        assert.equal(known.result.description, "More.");
      }
    }
  }
});

test("OP-XCARD-04, OP-XCARD-07, OP-XCARD-08: who calls is known before the card is made, and the card is made for them", async (t) => {
  const { peers } = await serveGuarded(
    t,
    cardOf({ bearer: schemes.bearer }, ["bearer"], []),
    { verifiers },
    {
      agent: {
        extendedCard: (_, { principal }) => {
          if (principal.id === "carol") throw new A2AError("PERMISSION_DENIED");
          return principal.id === "alice" ? { description: "For alice." } : undefined;
        },
      },
    },
  );
  for (const peer of peers) {
    const card = (headers = {}) => peer.call("GetExtendedAgentCard", {}, headers);
    assert.equal((await card()).error, "UNAUTHENTICATED");
    assert.equal((await card(bearer("alice"))).result.description, "For alice.");
    assert.equal((await card(bearer("bob"))).error, "EXTENDED_AGENT_CARD_NOT_CONFIGURED");
    assert.equal((await card(bearer("carol"))).response.status, 403);
  }
});

test("a handler of the application is told who calls, and its refusals are denials", async (t) => {
  class Own extends UnimplementedHandler<{ readonly principal: Principal }> {
    override async getTask(request: { id: string }, { principal }: { readonly principal: Principal }) {
      if (principal.id !== "alice") throw new A2AError("PERMISSION_DENIED");
      return { id: request.id, status: { state: "TASK_STATE_WORKING" as const } };
    }
  }
  const agent = { handler: new Own(), execute: undefined };
  const { peers, denials } = await serveGuarded(t, card, { verifiers }, { agent: agent as object });
  for (const peer of peers) {
    assert.equal((await peer.call("GetTask", { id: "t" }, bearer("alice"))).result.id, "t");
    assert.equal((await peer.call("GetTask", { id: "t" }, bearer("bob"))).error, "PERMISSION_DENIED");
    assert.equal(denials.at(-1)?.principal.id, "bob");
  }
});
