import assert from "node:assert/strict";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Ajv2020 } from "ajv/dist/2020.js";
import { test } from "vitest";
import { artifact, completed, inputRequired, working } from "../../src/index.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import { plainCard, serveFor, text } from "../support/peer.js";

type Json = any;

/** An agent with everything that an operation can need. */
const agent = {
  card: { ...plainCard, skills: [{ id: "s", name: "S", description: "Skill", tags: [] }] },
  async *execute({ text }: { text: string }) {
    if (text === "ask") yield inputRequired("?");
    else {
      yield working();
      yield artifact().text("x");
      yield completed();
    }
  },
  extendedCard: { description: "Extended" },
  extendedCardForAnyone: true,
};

test("the served OpenAPI document passes a linter", async (t) => {
  const { url } = await serveFor(t, agent);
  const source = await (await fetch(`${url}/openapi.json`)).text();
  // A tenant and a first path segment look alike; which is meant is the protocol's own rule (REST-10).
  const config = await createConfig({
    extends: ["recommended-strict"],
    rules: { "no-ambiguous-paths": "off" },
  });
  const problems = await lintFromString({ source, config, absoluteRef: "openapi.json" });
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`),
    [],
  );
});

test("BIND-01, RESTB-06, RESTB-07: every path of the OpenAPI document answers as it says, in success and in failure", async (t) => {
  const { url, rpc } = await serveFor(t, agent);
  const document: Json = await (await fetch(`${url}/openapi.json`)).json();
  assert.equal(document.servers[0].url.replace(/\/$/, ""), url);
  const matches = schemasOf(document);
  let calls = 0;
  for (const [template, item] of Object.entries<Json>(document.paths)) {
    for (const verb of ["get", "post", "delete"].filter((verb) => verb in item)) {
      for (const known of [true, false]) {
        const asked = (await rpc.call("SendMessage", { ...text("ask"), tenant: "t" })).result.task;
        const plain = (await rpc.call("SendMessage", text("ask"))).result.task;
        const id = known ? (template.startsWith("/{tenant}") ? asked.id : plain.id) : "nobody";
        const path = template
          .replace("{tenant}", "t")
          .replace(/\{(id|taskId)\}/, id)
          .replace("{id}", "config");
        const response = await fetch(url + path, {
          method: verb.toUpperCase(),
          headers: { "A2A-Version": "1.0", "Content-Type": "application/a2a+json" },
          ...(verb === "post" && { body: JSON.stringify(bodyFor(template, known)) }),
        });
        const said = item[verb].responses[response.status] ?? item[verb].responses.default;
        await check(`${verb} ${path}`, response, resolve(document, said), matches);
        calls += 1;
      }
    }
  }
  assert.ok(calls >= 44, `${calls} calls`);
});

for (const [without, options] of [
  ["the binding HTTP+JSON", { bindings: ["JSONRPC"] }],
  ["the newest version", { versions: ["0.3"] }],
] as const) {
  test(`an agent without ${without} has no OpenAPI document, no link to one, and refuses docs`, async (t) => {
    const { url } = await serveFor(t, agent, options);
    const response = await fetch(`${url}/openapi.json`);
    assert.equal(response.status, 404);
    const page = await (await fetch(url, { headers: { Accept: "text/html" } })).text();
    assert.match(page, /agent-card\.json/);
    assert.doesNotMatch(page, /openapi\.json/);
    await assert.rejects(serveFor(t, agent, { ...options, docs: true }), {
      name: "TypeError",
      message: `docs: no agent serves HTTP+JSON in ${protocolVersion}, which the page shows`,
    });
  });
}

test("docs are shown for the agents that serve what the page shows", async (t) => {
  const older = {
    ...agent,
    card: {
      ...agent.card,
      supportedInterfaces: [{ url: "http://a/old", protocolBinding: "JSONRPC", protocolVersion: "0.3" }],
    },
  };
  const { url } = await serveFor(t, { "/new": agent, "/old": older }, { docs: true });
  const statusOf = async (path: string) => (await fetch(url + path)).status;
  assert.deepEqual([await statusOf("/new/docs"), await statusOf("/new/openapi.json")], [200, 200]);
  assert.deepEqual([await statusOf("/old/docs"), await statusOf("/old/openapi.json")], [404, 404]);
});

function bodyFor(template: string, known: boolean): unknown {
  if (/message:(send|stream)$/.test(template)) return known ? text("go") : { message: {} };
  return {};
}

/** A response must have a media type of the document, and a body of its schema. */
async function check(
  call: string,
  response: Response,
  said: Json,
  matches: (ref: string, value: unknown) => string[],
) {
  const type = (response.headers.get("content-type") ?? "").split(";")[0] ?? "";
  assert.ok(said?.content?.[type], `${call}: ${response.status} ${type} is not in the document`);
  const { $ref: ref } = said.content[type].schema;
  if (type !== "text/event-stream") {
    const body: unknown = await response.json();
    if (ref !== undefined) assert.deepEqual(matches(ref, body), [], call);
    return;
  }
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = (await reader?.read()) ?? {};
  await reader?.cancel();
  const data = /^data: (.*)$/m.exec(value)?.[1] ?? "";
  assert.deepEqual(matches("#/components/schemas/StreamResponse", JSON.parse(data)), [], call);
}

/** Validates values against component schemas of a document. */
function schemasOf(document: Json): (ref: string, value: unknown) => string[] {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: "urn:openapi:document", ...document });
  return (ref, value) => {
    const validate = ajv.getSchema(`urn:openapi:document${ref}`);
    assert.ok(validate, ref);
    validate(value);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
}

function resolve(document: Json, part: Json): Json {
  if (part?.$ref === undefined) return part;
  return part.$ref
    .slice(2)
    .split("/")
    .reduce((at: Json, key: string) => at[key], document);
}
