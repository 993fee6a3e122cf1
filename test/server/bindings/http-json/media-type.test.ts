import assert from "node:assert/strict";
import { test } from "vitest";
import { A2AError } from "../../../../src/protocol/errors.js";
import { bindings } from "../../../../src/server/bindings/bindings.js";
import type { HostRequest } from "../../../../src/server/host.js";
import { refuse } from "../../../../src/server/pipeline.js";
import { answerHttpJson, httpRequest } from "../exchange.js";
import { agent, body, message, send } from "./send.js";

for (const type of [
  "application/json",
  "application/json; charset=utf-8",
  "application/a2a+json",
  "APPLICATION/A2A+JSON",
  undefined,
]) {
  test(`RESTB-02, RESTB-05: a body of type ${type} is read as JSON`, async () => {
    const { status } = await send("POST", "/message:send", {
      ...body({ message }),
      headers: { "content-type": type },
    });
    assert.equal(status, 200);
  });
}

const foreign: [name: string, more: Partial<HostRequest>][] = [
  ["read", body({ message })],
  ["announced by its length and not read", { headers: { "content-length": "5" } }],
  ["announced as chunked and not read", { headers: { "transfer-encoding": "chunked" } }],
];

for (const [name, more] of foreign) {
  test(`RESTB-04: a body of another type, ${name}, is refused with 400`, async () => {
    const headers = { "content-type": "text/plain", ...more.headers };
    const { status, json, agent } = await send("POST", "/message:send", { ...more, headers });
    assert.equal(status, 400);
    assert.equal(json.error.details[0].reason, "CONTENT_TYPE_NOT_SUPPORTED");
    assert.deepEqual(agent.seen, []);
  });
}

test("RESTB-04, REST-05: without a body the media type says nothing", async () => {
  const headers = { "content-type": "application/x-www-form-urlencoded", "content-length": "0" };
  assert.equal((await send("POST", "/tasks/t:cancel", { headers, body: "" })).status, 200);
  assert.equal((await send("GET", "/tasks/t", { headers })).status, 200);
});

const accepts: [accept: string | readonly string[] | undefined, type: string][] = [
  [undefined, "application/a2a+json"],
  ["", "application/a2a+json"],
  ["*/*", "application/a2a+json"],
  ["application/*", "application/a2a+json"],
  ["text/html", "application/a2a+json"],
  ["application/json", "application/json"],
  ["Application/JSON; q=0.9", "application/json"],
  ["application/json, text/event-stream", "application/json"],
  ["application/json, */*", "application/a2a+json"],
  ["application/json, application/a2a+json;q=0.1", "application/a2a+json"],
  [["application/json", "text/html"], "application/json"],
];

for (const [accept, type] of accepts) {
  test(`RESTB-01, RESTB-03, RPCS-06: Accept ${JSON.stringify(accept)} is answered with ${type}, errors too`, async () => {
    for (const path of ["/tasks/t", "/nowhere", "/tasks?pageSize=0"]) {
      const { headers } = await send("GET", path, { headers: { accept } });
      assert.equal(headers["Content-Type"], type);
    }
    assert.equal(
      refuse(new A2AError("UNAVAILABLE"), {
        host: httpRequest({ headers: { accept } }),
        binding: bindings["HTTP+JSON"],
        agent: agent(),
      }).headers["Content-Type"],
      type,
    );
  });
}

test("RESTB-03: one media type can be fixed for all answers", async () => {
  const served = { ...agent(), mediaType: "application/json" };
  for (const path of ["/tasks/t", "/nowhere"]) {
    const reply = await answerHttpJson(httpRequest({ method: "GET", path }), served);
    assert.equal(reply.headers["Content-Type"], "application/json");
  }
  const refused = refuse(new A2AError("UNAVAILABLE"), {
    host: httpRequest({}),
    binding: bindings["HTTP+JSON"],
    agent: served,
  });
  assert.equal(refused.headers["Content-Type"], "application/json");
});
