import assert from "node:assert/strict";
import { test } from "vitest";
import type { RecordedExchange } from "../../src/recording/recorded-exchange.js";
import { readRecording, writeRecording } from "../../src/recording/recording-file.js";
import { encodeRequest } from "../../src/versions/v0.1/flat/client-codec.js";
import { agent, exchange } from "./exchange.js";

/** An exchange as it is in a file. */
function written(one: RecordedExchange): readonly RecordedExchange[] {
  return readRecording(writeRecording({ agent, exchanges: [one] })).exchanges;
}

test("credentials do not get into a recording, wherever they are", () => {
  const config = {
    taskPushNotificationConfig: {
      url: "https://x",
      token: 'to"ken-1',
      authentication: { credentials: "cred-1" },
    },
  };
  const flat = encodeRequest("CreateTaskPushNotificationConfig", {
    ...{ taskId: "t", url: "https://x", authentication: { scheme: "Bearer", credentials: 'val"ue-1' } },
  });
  const exchanges = [
    exchange({
      url: "http://user:pass-1@localhost:4000/?api_key=key-1&page=2",
      request: JSON.stringify({ params: config, text: "my key is held-1" }),
      requestHeaders: { Authorization: "Bearer bearer-1", "X-Team": "held-1 planning", "x-api-key": "key-2" },
      headers: { "content-type": "application/json", "Set-Cookie": "session-1" },
      answer: JSON.stringify({ result: config }),
    }),
    exchange({
      url: "https://issuer.example/token",
      request: "grant_type=authorization_code&code=code-1&code_verifier=verifier-1",
      requestHeaders: { "Content-Type": "application/x-www-form-urlencoded" },
      answer: '{"access_token":"access-1","user":"ann-1"}',
      failure: "held-1 was refused",
    }),
    exchange({
      request: JSON.stringify({ method: "tasks/pushNotification/set", params: flat }),
      answer: JSON.stringify({ result: { authentication_info: { value: "value-1" } } }, undefined, 2),
    }),
    exchange({ answer: '{"data":{"value":"kept-1"}}' }),
  ];
  const text = writeRecording({ agent, exchanges, secrets: ["held-1", ""] });
  for (const secret of [
    "token",
    "ken",
    "cred",
    "key",
    "pass",
    "held",
    "bearer",
    "session",
    "code",
    "verifier",
    "access",
    "ann",
    "ue",
  ])
    assert.ok(!text.includes(`${secret}-`), secret);
  assert.match(text, /kept-1/);
  const [first] = readRecording(text).exchanges;
  assert.match(first?.url ?? "", /page=2/);
  assert.equal(first?.requestHeaders?.["X-Team"], "[removed] planning");
  assert.equal(JSON.parse(first?.request ?? "").params.taskPushNotificationConfig.token, "[removed]");
});

test("SEC-12: credentials in the agent of a recording are removed", () => {
  const written = (url: string, name?: string) =>
    readRecording(
      writeRecording({ agent: { url, ...(name && { name }) }, exchanges: [], secrets: ["SECRET2"] }),
    ).agent;
  assert.deepEqual(written("https://u:pw@agent.example/?api_key=SECRET1&x=SECRET2", "Desk of SECRET2"), {
    url: "https://agent.example/?api_key=%5Bremoved%5D&x=[removed]",
    name: "Desk of [removed]",
  });
  for (const [url, left] of [
    ["u:pw@agent.example/?api_key=SECRET1", "agent.example/"],
    ["//u:pw@agent.example/a", "agent.example/a"],
    ["agent.example", "agent.example"],
    ["https://agent.example", "https://agent.example"],
    ["/agents/desk", "/agents/desk"],
  ] as const)
    assert.deepEqual(written(url), { url: left });
  const card = { ...agent, description: "SECRET1" };
  assert.doesNotMatch(writeRecording({ agent: card, exchanges: [] }), /SECRET1/);
});

test("SEC-12: members of JSON with a hyphen in their names are credentials too", () => {
  const names = ["api-key", "X-API-Key", "access-token", "client-secret"];
  const answer = JSON.stringify(Object.fromEntries(names.map((name) => [name, "SECRET1"])));
  assert.doesNotMatch(writeRecording({ agent, exchanges: [exchange({ answer })] }), /SECRET1/);
});

test("SEC-12: a form and its answer are removed, also if the media type of the form was not recorded", () => {
  const form = "grant_type=authorization_code&code=SECRET1&code_verifier=SECRET2";
  const answer = '{"user_code":"SECRET3"}';
  const sent = exchange({ request: form, answer });
  for (const one of [sent, { ...sent, requestHeaders: { "content-type": "text/plain;charset=UTF-8" } }]) {
    const [left] = written(one);
    assert.deepEqual([left?.request, left?.answer], ["[removed]", "[removed]"]);
  }
  for (const request of ["", "{}", '"a=b"', '["a=b"]', '{"text":"a=b"}', "a = b", "no form"])
    assert.equal(written(exchange({ request }))[0]?.request, request);
});

test("a credential of many MiB, or one that was cut off, does not get into a recording either", () => {
  const token = "s3cret\\n".repeat(2 * 1024 * 1024);
  const whole = exchange({ answer: `{"token":"${token}","id":"\\"token\\""}` });
  const cut = exchange({ answer: `{"id":1,"credentials":"s3cre` });
  const text = writeRecording({ agent, exchanges: [whole, cut] });
  assert.doesNotMatch(text, /s3cre/);
  const [first, second] = readRecording(text).exchanges;
  assert.deepEqual(JSON.parse(first?.answer ?? ""), { token: "[removed]", id: '"token"' });
  assert.equal(second?.answer, '{"id":1,"credentials":"[removed]');
});
