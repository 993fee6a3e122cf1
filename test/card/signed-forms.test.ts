import assert from "node:assert/strict";
import { test } from "vitest";
import { restoreRequired, signedForm } from "../../src/card/signed-forms.js";
import { canonicalJson } from "../../src/json/canonical-json.js";
import { fullCard } from "./sample-card.js";

/** A card in which everything that may be empty is empty. */
const hollow = {
  name: "A",
  description: "",
  supportedInterfaces: [
    { url: "https://a.example", protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "" },
  ],
  version: "1",
  documentationUrl: "",
  capabilities: {
    streaming: false,
    extensions: [{ uri: "urn:x", description: "", required: false, params: { a: "" } }],
  },
  securitySchemes: {
    m: { mtlsSecurityScheme: {} },
    o: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: "t", scopes: { read: "" } } } } },
  },
  securityRequirements: [{ schemes: { m: { list: [] } } }, {}],
  defaultInputModes: [],
  defaultOutputModes: ["text/plain"],
  skills: [],
  provider: null,
  unknown: 1,
  signatures: [{ protected: "a", signature: "b", header: { x: "" } }],
};

const { signatures: _, ...unsigned } = hollow;

test("SIGN-02, SIGN-08: the received form is the card as it stands, unknown members included, without signatures", () => {
  assert.deepEqual(signedForm("received", hollow), unsigned);
});

test("SIGN-03, SIGN-04, SIGN-05, SIGN-06, SIGN-08: the kept form drops defaults that have no presence, and nothing else", () => {
  assert.deepEqual(signedForm("requiredKept", hollow), {
    name: "A",
    description: "",
    supportedInterfaces: [{ url: "https://a.example", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    version: "1",
    documentationUrl: "",
    capabilities: { streaming: false, extensions: [{ uri: "urn:x", params: { a: "" } }] },
    securitySchemes: {
      m: { mtlsSecurityScheme: {} },
      o: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: "t", scopes: { read: "" } } } } },
    },
    securityRequirements: [{ schemes: { m: {} } }, {}],
    defaultInputModes: [],
    defaultOutputModes: ["text/plain"],
    skills: [],
  });
});

test("SIGN-04: a nested object that was set stays although it is empty", () => {
  assert.deepEqual(signedForm("requiredKept", { capabilities: {} }), { capabilities: {} });
});

test("SIGN-03: empty lists and maps that are not required go", () => {
  const empty = {
    securitySchemes: {},
    securityRequirements: [],
    skills: [{ id: "a", tags: [], examples: [] }],
  };
  assert.deepEqual(signedForm("requiredKept", empty), { skills: [{ id: "a", tags: [] }] });
});

test("SIGN-07: the last form drops everything that is empty", () => {
  assert.deepEqual(signedForm("emptyDropped", hollow), {
    name: "A",
    supportedInterfaces: [{ url: "https://a.example", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    version: "1",
    capabilities: { streaming: false, extensions: [{ uri: "urn:x" }] },
    securitySchemes: { o: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: "t" } } } } },
    defaultOutputModes: ["text/plain"],
  });
  assert.deepEqual(signedForm("emptyDropped", { skills: [] }), {});
});

test("SIGN-09, JSON-14: required members that the form took away come back empty", () => {
  const dropped = signedForm("emptyDropped", { ...hollow, skills: [{ id: "a", name: "", tags: [] }] });
  const { description, capabilities, skills, defaultInputModes } = restoreRequired("AgentCard", dropped);
  assert.deepEqual([description, defaultInputModes], ["", []]);
  assert.deepEqual(capabilities, { streaming: false, extensions: [{ uri: "urn:x" }] });
  assert.deepEqual(skills, [{ id: "a", name: "", description: "", tags: [] }]);
  assert.deepEqual(restoreRequired("AgentCard", {}).capabilities, {});
});

test("a card without anything empty is the same in all forms", () => {
  const texts = (["received", "requiredKept", "emptyDropped"] as const).map((form) =>
    canonicalJson(signedForm(form, { ...fullCard })),
  );
  assert.equal(new Set(texts).size, 1);
});

test("members named __proto__ are members like others", () => {
  const card = JSON.parse('{"securitySchemes":{"__proto__":{"mtlsSecurityScheme":{}}},"capabilities":{}}');
  assert.equal(
    canonicalJson(signedForm("requiredKept", card)),
    '{"capabilities":{},"securitySchemes":{"__proto__":{"mtlsSecurityScheme":{}}}}',
  );
});
