import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { AgentCard, SecurityScheme } from "../../../src/index.js";
import { otherOrigins } from "../../../src/inspector/page/screens/credentials/other-origins.js";
import { formsOf } from "../../../src/inspector/page/screens/credentials/scheme-forms.js";
import { absoluteInterface } from "../../../src/inspector/page/session/absolute-interface.js";
import { hexLine, hexLineCount, joined } from "../../../src/inspector/page/wire/hex-lines.js";
import {
  maskedBody,
  maskedHeader,
  maskedUrl,
  noteKeyNames,
} from "../../../src/inspector/page/wire/masked.js";
import type { WireExchange } from "../../../src/inspector/page/wire/wire-exchange.js";
import { encodeRequest } from "../../../src/versions/v0.1/flat/client-codec.js";

/** A push config whose secrets have a quote. */
const config = {
  url: "https://b.example/hook",
  token: 't-1"',
  authentication: { scheme: "Bearer", credentials: 'c-1"' },
};

/** The same as the flat dialect writes it, which has no token. */
const flat = encodeRequest("CreateTaskPushNotificationConfig", { ...config, taskId: "t" });
const { webhookUrl: webhook_url, authenticationInfo: authentication_info } = (flat as any)
  .pushNotificationConfig;

/** An exchange with an agent. */
const exchangeOf = (parts: Partial<WireExchange>) =>
  ({
    url: "https://a.example/",
    requestHeaders: [["content-type", "application/json"]],
    ...parts,
  }) as WireExchange;

describe("secrets on the wire", () => {
  test("are masked in headers, by their usual names and by the names in the card", () => {
    noteKeyNames({
      securitySchemes: { key: { apiKeySecurityScheme: { location: "header", name: "X-Agent-Key" } } },
    });
    assert.deepEqual(maskedHeader(["authorization", "Bearer abc.def"]), ["authorization", "Bearer ••••••"]);
    assert.deepEqual(maskedHeader(["Cookie", "session=1"]), ["Cookie", "••••••"]);
    assert.deepEqual(maskedHeader(["x-agent-key", "abc"]), ["x-agent-key", "••••••"]);
    assert.deepEqual(maskedHeader(["accept", "text/plain"]), ["accept", "text/plain"]);
  });

  test("are masked in URLs", () => {
    noteKeyNames({
      securitySchemes: { key: { apiKeySecurityScheme: { location: "query", name: "api_key" } } },
    });
    assert.equal(maskedUrl("https://a.example/x?api_key=abc&b=1"), "https://a.example/x?api_key=••••••&b=1");
    assert.equal(maskedUrl("https://a.example/x?b=%20"), "https://a.example/x?b=%20");
    noteKeyNames({});
    assert.equal(maskedUrl("https://a.example/x?api_key=abc"), "https://a.example/x?api_key=abc");
  });

  test("are masked in what issuers get and give, and other bodies stay as they are", () => {
    const form = [["content-type", "application/x-www-form-urlencoded"]];
    const issuer = { requestHeaders: form } as unknown as WireExchange;
    const sent = "grant_type=authorization_code&code=c1&client_secret=s1&code_verifier=v1&client_id=me";
    assert.equal(
      maskedBody(sent, issuer),
      "grant_type=authorization_code&code=••••••&client_secret=••••••&code_verifier=••••••&client_id=me",
    );
    const given = '{"access_token":"t1","token_type":"Bearer","refresh_token": "r1","id_token":"i1"}';
    const shown = maskedBody(given, issuer);
    assert.doesNotMatch(shown, /t1|r1|i1/);
    assert.match(shown, /"token_type":"Bearer"/);
    assert.equal(maskedBody(given, exchangeOf({})), given);
  });

  test.for([
    ["1.0", { method: "CreateTaskPushNotificationConfig", params: config }],
    ["0.3", { method: "tasks/pushNotificationConfig/set", params: { pushNotificationConfig: config } }],
    ["0.1", { method: "tasks/pushNotification/set", params: { pushNotificationConfig: config } }],
    ["0.1, flat", { method: "tasks/pushNotification/set", params: flat }],
    [
      "a message of 0.1, flat, in snake_case",
      { method: "message/send", params: { push_notification: { webhook_url, authentication_info } } },
    ],
    ["a message", { params: { configuration: { taskPushNotificationConfig: config } } }],
    ["an older message", { params: { pushNotification: config } }],
  ] as const)("are masked in push configs: %s", ([, request]) => {
    const exchange = exchangeOf({ requestBody: JSON.stringify(request) });
    const sent = maskedBody(JSON.stringify(request), exchange);
    assert.doesNotMatch(sent, /t-1|c-1/);
    assert.deepEqual(
      JSON.parse(sent),
      JSON.parse(JSON.stringify(request).replaceAll(/[tc]-1\\"/g, "••••••")),
    );
    const answer = JSON.stringify({ result: request.params }, undefined, 2);
    assert.match(answer, /c-1/);
    assert.doesNotMatch(maskedBody(answer, exchange), /t-1|c-1/);
    assert.doesNotMatch(maskedBody(answer.slice(0, answer.indexOf("c-1") + 2), exchange), /t-1|c-/);
  });

  test("are masked in push configs, however long they are", () => {
    const exchange = exchangeOf({ url: "https://a.example/tasks/t/pushNotificationConfigs" });
    assert.equal(maskedBody(`{"token":"${"x".repeat(8 * 1024 * 1024)}"}`, exchange), '{"token":"••••••"}');
  });

  test("are masked in push configs over HTTP+JSON, and a token elsewhere is shown", () => {
    const url = "https://a.example/tasks/t/pushNotificationConfigs";
    assert.doesNotMatch(maskedBody(JSON.stringify(config), exchangeOf({ url })), /t-1|c-1/);
    const data = '{"message":{"parts":[{"data":{"token":"t-1","value":"v-1"}}]}}';
    assert.equal(maskedBody(data, exchangeOf({ requestBody: data })), data);
    const requestBody = JSON.stringify({ method: "tasks/pushNotificationConfig/set", params: config });
    assert.match(maskedBody(data, exchangeOf({ requestBody })), /"value":"v-1"/);
  });
});

describe("a scheme of the card", () => {
  const need = { name: "s", scopes: [], fetch, allows: () => false, signal: new AbortController().signal };
  const forms = (scheme: object) => formsOf(scheme as SecurityScheme);

  test("has a form for each way to authenticate", () => {
    const flows = {
      authorizationCode: { authorizationUrl: "https://i/a", tokenUrl: "https://i/t", scopes: {} },
    };
    const titles = (scheme: object) => forms(scheme).map(({ title }) => title);
    assert.deepEqual(titles({ apiKeySecurityScheme: { location: "header", name: "k" } }), ["API key"]);
    assert.deepEqual(titles({ httpAuthSecurityScheme: { scheme: "Basic" } }), ["User name and password"]);
    assert.deepEqual(titles({ httpAuthSecurityScheme: { scheme: "bearer" } }), ["Token"]);
    assert.deepEqual(titles({ oauth2SecurityScheme: { flows } }), ["Sign in with a browser", "Token"]);
    assert.deepEqual(titles({ openIdConnectSecurityScheme: { openIdConnectUrl: "https://i" } }), ["Token"]);
    assert.deepEqual(titles({ mtlsSecurityScheme: {} }), ["Client certificate"]);
    assert.deepEqual(titles({}), []);
  });

  test("gives what was entered to the client", async () => {
    const [basic] = forms({ httpAuthSecurityScheme: { scheme: "basic" } });
    const provide = basic?.provide({ user: "zoë", password: "a:b" });
    const found = await provide?.({ ...need, scheme: {} as SecurityScheme });
    assert.equal(found, Buffer.from("zoë:a:b").toString("base64"));
  });
});

test("other origins in a card are found, but for those of gRPC's hosts and of broken URLs", () => {
  const entry = (url: string, protocolBinding = "JSONRPC") => ({
    url,
    protocolBinding,
    protocolVersion: "1.0",
  });
  const supportedInterfaces = [
    ...[
      entry("https://a.example/x"),
      entry("/relative"),
      entry("https://b.example/"),
      entry("https://b.example/2"),
    ],
    ...[entry("javascript:alert(1)"), entry("http://[broken")],
  ];
  const card = { supportedInterfaces } as unknown as AgentCard;
  assert.deepEqual(otherOrigins(card, "https://a.example/"), ["https://b.example"]);
});

test("an interface gets an absolute URL, but that of gRPC stays host and port", () => {
  const at = (url: string, protocolBinding: string) =>
    absoluteInterface({ url, protocolBinding, protocolVersion: "1.0" }, "https://a.example/b/").url;
  assert.equal(at("rpc", "JSONRPC"), "https://a.example/b/rpc");
  assert.equal(at("https://c.example/", "JSONRPC"), "https://c.example/");
  assert.equal(at("127.0.0.1:50051", "GRPC"), "127.0.0.1:50051");
});

test("bytes are shown as lines of sixteen with their places", () => {
  const bytes = joined([new TextEncoder().encode("0123456789abcdef"), new Uint8Array([0, 255, 65])]);
  assert.equal(hexLineCount(bytes), 2);
  assert.equal(
    hexLine(bytes, 0),
    `00000000  30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef`,
  );
  assert.match(hexLine(bytes, 1), /^00000010 {2}00 ff 41 +\.\.A$/);
});
