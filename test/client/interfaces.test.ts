import assert from "node:assert/strict";
import { test } from "vitest";
import { ClientError, type ConnectOptions, connect } from "../../src/client/index.js";
import type { AgentInterface } from "../../src/protocol/model.js";
import { cardOf, clientOf, failure, json, origin, result, type Seen, scripted, task } from "./scripted.js";

function entry(protocolBinding: string, more: Partial<AgentInterface> = {}): AgentInterface {
  return { url: `${origin}/${protocolBinding}`, protocolBinding, protocolVersion: "1.0", ...more };
}

async function chosen(
  supportedInterfaces: AgentInterface[],
  options: ConnectOptions = {},
): Promise<AgentInterface> {
  return (await connect(cardOf({ supportedInterfaces }), options)).agentInterface;
}

function refused(code: string, text?: RegExp) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof ClientError, String(error));
    assert.equal(error.code, code);
    if (text !== undefined) assert.match(error.message, text);
    return true;
  };
}

const rpc = entry("JSONRPC");
const rest = entry("HTTP+JSON");

test("BIND-05, CLI-01, VER-20: the first interface that the client speaks is taken", async () => {
  const grpc = entry("GRPC");
  const future = entry("JSONRPC", { protocolVersion: "7.0" });
  const custom = entry("https://bindings.example/carrier-pigeon");
  assert.deepEqual(await chosen([grpc, custom, future, rest, rpc]), rest);
  assert.deepEqual(await chosen([rpc, rest]), rpc);
});

test("VER-01: patch numbers of versions play no part, nor does the case of bindings", async () => {
  const patched = entry("JsonRpc", { protocolVersion: "1.0.3" });
  assert.deepEqual(await chosen([patched]), patched);
});

test("VER-01, VER-03: requests name the version of the interface, 1.0 also if the card lists it with a patch number", async () => {
  for (const [protocolVersion, sent] of [
    ["1.0", "1.0"],
    ["1.0.3", "1.0"],
    ["0.3", "0.3"],
    ["0.3.0", null],
    ["0.2", "0.2"],
    ["0.2.6", null],
  ] as const) {
    for (const [binding, answer] of [
      ["JSONRPC", (request: Seen) => failure(request, -32001)],
      ["HTTP+JSON", () => json({ code: -32001, message: "No" }, { status: 404 })],
    ] as const) {
      const card = cardOf({ supportedInterfaces: [entry(binding, { protocolVersion })] });
      const { client, seen } = await clientOf(answer, { card });
      await assert.rejects(client.getTask({ id: "t" }), { code: "TASK_NOT_FOUND" });
      assert.equal(seen[0]?.headers.get("A2A-Version"), sent, `${protocolVersion} over ${binding}`);
    }
  }
});

test("CLI-04, VER-18: the caller may force a binding and a version, or only prefer one", async () => {
  assert.deepEqual(await chosen([rpc, rest], { bindings: ["HTTP+JSON"] }), rest);
  assert.deepEqual(await chosen([rpc, rest], { bindings: ["HTTP+JSON", "JSONRPC"] }), rest);
  assert.deepEqual(await chosen([rpc, rest], { versions: ["1.0"] }), rpc);
  await assert.rejects(chosen([rpc], { bindings: ["HTTP+JSON"] }), refused("NO_INTERFACE"));
  await assert.rejects(chosen([rpc], { versions: ["0.3"] }), refused("NO_INTERFACE"));
});

test("VER-18, VER-20: of versions at one URL the preferred one is taken, and the highest without a preference", async () => {
  const url = `${origin}/one`;
  const older = entry("JSONRPC", { url, protocolVersion: "0.3" });
  const newer = entry("JSONRPC", { url, protocolVersion: "1.0" });
  assert.deepEqual(await chosen([older, newer]), newer);
  assert.deepEqual(await chosen([newer, older], { versions: ["1.0", "0.3"] }), newer);
  assert.deepEqual(await chosen([newer, older], { versions: ["0.3", "1.0"] }), older);
});

test("VER-19: no interface below the oldest version that the caller wants is used", async () => {
  assert.deepEqual(await chosen([rpc], { minVersion: "1.0" }), rpc);
  await assert.rejects(chosen([rpc], { minVersion: "1.1" }), refused("NO_INTERFACE"));
  await assert.rejects(
    chosen([rpc], { minVersion: "2.0" }),
    refused("NO_INTERFACE", /calls no interface that satisfies `minVersion` \(2\.0\)\. By default/),
  );
});

test("a card with very many interfaces does not make a call try them all", async () => {
  const supportedInterfaces = Array.from({ length: 500 }, (_, index) =>
    entry("JSONRPC", { url: `${origin}/${index}` }),
  );
  const { fetch, seen } = scripted(() => Promise.reject(new TypeError("fetch failed")));
  const client = await connect(cardOf({ supportedInterfaces }), { fetch, retry: false });
  await assert.rejects(client.getTask({ id: "t" }), refused("UNREACHABLE"));
  assert.equal(seen.length, 16);
});

test("an agent that cannot be called says what it offers, and what would do", async () => {
  const { supportedInterfaces } = cardOf({
    supportedInterfaces: [entry("GRPC"), entry("JSONRPC", { url: "ftp://a" })],
  });
  await assert.rejects(chosen(supportedInterfaces), (error) => {
    assert.ok(error instanceof ClientError);
    assert.equal(error.code, "NO_INTERFACE");
    assert.match(
      error.expected ?? "",
      /^JSONRPC, HTTP\+JSON or GRPC in version (1\.1, )?1\.0, 0\.3 or 0\.2, or JSONRPC in version 0\.1 or 0\.1-flat, at absolute http or https URLs, or for GRPC at host:port$/,
    );
    assert.equal(error.field, "supportedInterfaces.url");
    assert.equal(error.received, `GRPC 1.0 at ${origin}/GRPC, JSONRPC 1.0 at ftp://a`);
    return true;
  });
});

test("versions that the oldest version excludes are named with it in the error", async () => {
  const older = entry("JSONRPC", { protocolVersion: "0.3" });
  await assert.rejects(chosen([older], { versions: ["0.3"], minVersion: "1.0" }), {
    code: "NO_INTERFACE",
    expected: "an interface that satisfies `versions` (0.3) and `minVersion` (1.0)",
    field: "supportedInterfaces.protocolVersion",
  });
});

test("options that cannot be right are refused", async () => {
  for (const options of [
    { bindings: ["SOAP"] as never },
    { versions: ["one" as "1.0"] },
    { minVersion: "1.0.0" },
    { origins: ["here"] },
    { origins: ["localhost:4000"] },
    { timeouts: { idle: -1 } },
    { limits: { event: Number.NaN } },
    { retry: { attempts: -1 } },
    { extensions: ["a,b"] },
    { extensions: [{} as never] },
  ]) {
    await assert.rejects(chosen([rpc], options), refused("INVALID_OPTION"), JSON.stringify(options));
  }
});

test("versions that are not strings, and empty lists, are refused with the option's name", async () => {
  for (const [options, message] of [
    [{ versions: [1.0] }, "versions must be a list of at least one version, each a string"],
    [{ versions: ["1.0", undefined] }, "versions must be a list of at least one version, each a string"],
    [{ versions: [] }, "versions must be a list of at least one version, each a string"],
    [{ bindings: [] }, 'bindings must be a list of at least one binding, such as ["JSONRPC"]'],
    [{ minVersion: 1 }, "minVersion must be a version as a string"],
  ] as const)
    await assert.rejects(chosen([rpc], options as object), { code: "INVALID_OPTION", message });
});

test("CLI-02: versions may be named by their former names", async () => {
  const flat = entry("JSONRPC", { protocolVersion: "0.1-flat" });
  for (const options of [{ versions: ["0.1x" as "0.1-flat"] }, { minVersion: "0.1x" }])
    assert.deepEqual(await chosen([flat], options), flat);
});

test("CLI-02: relative URLs of interfaces start from the card's URL", async () => {
  const card = cardOf({ supportedInterfaces: [entry("JSONRPC", { url: "../rpc" })] });
  const { fetch, seen } = scripted((request) =>
    request.method === "GET" ? json(card) : result(request, task),
  );
  const client = await connect(`${origin}/agents/one/card.json`, { fetch });
  await client.getTask({ id: "t" });
  assert.equal(client.agentInterface.url, "../rpc");
  assert.equal(seen[1]?.url.href, `${origin}/agents/rpc`);
});

for (const binding of ["JSONRPC", "HTTP+JSON"] as const) {
  const card = (tenant?: string) =>
    cardOf({ supportedInterfaces: [entry(binding, tenant === undefined ? {} : { tenant })] });
  const answer = (request: Parameters<Parameters<typeof clientOf>[0]>[0]) =>
    binding === "JSONRPC" ? result(request, task) : new Response(JSON.stringify(task));

  test(`TEN-01, TEN-03, TEN-04: the tenant of the interface goes with every call [${binding}]`, async () => {
    const { client, seen } = await clientOf(answer, { card: card("acme/eu") });
    await client.getTask({ id: "t", historyLength: 0 });
    await client.cancelTask({ id: "t", tenant: "other" });
    if (binding === "JSONRPC") {
      assert.deepEqual(seen[0]?.json.params, { id: "t", historyLength: 0, tenant: "acme/eu" });
      assert.equal(seen[1]?.json.params.tenant, "acme/eu");
    } else {
      assert.equal(seen[0]?.url.pathname, "/HTTP+JSON/acme%2Feu/tasks/t");
      assert.equal(seen[0].url.search, "?historyLength=0");
      assert.equal(seen[1]?.url.pathname, "/HTTP+JSON/acme%2Feu/tasks/t:cancel");
      assert.deepEqual(seen[1].json, {});
    }
  });

  test(`TEN-02, TEN-10: without a tenant the member is left out, an empty one is none [${binding}]`, async () => {
    for (const tenant of [undefined, ""]) {
      const { client, seen } = await clientOf(answer, { card: card(tenant) });
      await client.getTask({ id: "t", tenant: "" });
      if (binding === "JSONRPC") assert.deepEqual(seen[0]?.json.params, { id: "t" });
      else assert.equal(seen[0]?.url.href, `${origin}/HTTP+JSON/tasks/t`);
    }
  });
}

test("EXT-22: an agent that requires what the caller does not support is refused before the first call", async () => {
  const extensions = [{ uri: "https://x.example/v1", required: true }, { uri: "https://y.example/v1" }];
  const card = cardOf({ capabilities: { extensions } });
  await assert.rejects(connect(card), refused("EXTENSION_REQUIRED", /x\.example/));
  await connect(card, { extensions: ["https://x.example/v1"] });
  await connect(card, { localChecks: false });
});

test("EXT-02, EXT-03, EXT-19: extensions are asked for in every call, with those they depend on", async () => {
  const { client, seen } = await clientOf((request) => result(request, task), {
    extensions: [{ uri: "urn:a", dependsOn: ["urn:b"] }, "urn:c", { uri: "urn:b", dependsOn: ["urn:a"] }],
  });
  await client.getTask({ id: "t" });
  await client.getTask({ id: "t" }, { extensions: ["urn:d"], headers: { "a2a-extensions": "urn:e, urn:a" } });
  assert.equal(seen[0]?.headers.get("A2A-Extensions"), "urn:a,urn:b,urn:c");
  assert.equal(seen[1]?.headers.get("A2A-Extensions"), "urn:e,urn:a,urn:b,urn:c,urn:d");
  const plain = await clientOf((request) => result(request, task));
  await plain.client.getTask({ id: "t" });
  assert.equal(plain.seen[0]?.headers.get("A2A-Extensions"), null);
});

test("EXT-19: an extension that is listed twice is asked for with the dependencies of both entries", async () => {
  const { client, seen } = await clientOf((request) => result(request, task), {
    extensions: [{ uri: "urn:a", dependsOn: ["urn:b"] }, "urn:a", { uri: "urn:a", dependsOn: ["urn:c"] }],
  });
  await client.getTask({ id: "t" });
  assert.equal(seen[0]?.headers.get("A2A-Extensions"), "urn:a,urn:b,urn:c");
});

test("SVC-01, SVC-06, VER-02: the caller's headers go along, the protocol's own stay what they are", async () => {
  const { client, seen } = await clientOf((request) => result(request, task), {
    headers: { "X-One": "1", "x-two": "2", "X-Three": undefined as never },
  });
  await client.getTask(
    { id: "t" },
    { headers: { "X-Two": "two", "A2A-Version": "9.9", "content-type": "text/x" } },
  );
  const { headers } = seen[0]!;
  assert.equal(headers.get("X-One"), "1");
  assert.equal(headers.get("X-Two"), "two");
  assert.equal(headers.get("X-Three"), null);
  assert.equal(headers.get("A2A-Version"), "1.0");
  assert.equal(headers.get("Content-Type"), "application/json");
});

test("SEC-15: header values with line breaks or control characters are refused", async () => {
  const { client, seen } = await clientOf((request) => result(request, task));
  for (const value of ["a\r\nX-Evil: 1", "\0", "日"]) {
    await assert.rejects(client.getTask({ id: "t" }, { headers: { "X-Key": value } }), (error) => {
      assert.ok(error instanceof ClientError);
      assert.equal(error.code, "INVALID_OPTION");
      assert.match(error.message, /X-Key/);
      assert.doesNotMatch(error.message, /Evil/);
      return true;
    });
  }
  await assert.rejects(client.getTask({ id: "t" }, { headers: { "X Key": "1" } }), {
    code: "INVALID_OPTION",
  });
  assert.equal(seen.length, 0);
});

test("SEC-01: an interface that is not encrypted is warned of, unless it is on this machine", async () => {
  const warnings: object[] = [];
  const logger = { debug() {}, info() {}, error() {}, warn: (facts: object) => warnings.push(facts) };
  await chosen([entry("JSONRPC", { url: "http://agent.example/?key=1" })], { logger });
  await chosen([entry("JSONRPC", { url: "http://127.0.0.1:4000" })], { logger });
  assert.deepEqual(warnings, [{ url: "http://agent.example/" }]);
});

test("an option that does not exist is refused with the nearest name", async () => {
  const wrong = (options: object, message: RegExp) =>
    assert.rejects(connect(cardOf(), options), (error: unknown) => {
      assert.ok(error instanceof ClientError);
      assert.equal(error.code, "INVALID_OPTION");
      assert.match(error.message, message);
      return true;
    });
  await wrong({ bindngs: ["JSONRPC"] }, /^there is no option "bindngs"; did you mean "bindings"\?$/);
  await wrong({ timeouts: { totl: 1 } }, /timeouts: there is no option "totl"; did you mean "total"\?/);
  await wrong({ retry: { tries: 3 } }, /retry: there is no option "tries"/);
});
