import assert from "node:assert/strict";
import { test } from "vitest";
import { buildCard, type CardFacts, type CardInput } from "../../src/card/build-card.js";
import { CardError } from "../../src/server/card-error.js";
import { checkCard, unlistedInterfaces } from "../../src/server/check-card.js";
import { input } from "../card/sample-card.js";

const facts: CardFacts = {
  url: "https://host.example",
  served: [
    { url: "https://host.example", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url: "https://host.example", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
  ],
  supported: new Set(["streaming"]),
};
const [jsonRpc, httpJson] = facts.served as [CardFacts["served"][0], CardFacts["served"][0]];

function check(change: object, some: Partial<CardFacts> = {}): readonly string[] {
  const all = { ...facts, ...some };
  const card = buildCard({ ...input, ...change } as CardInput, all);
  return [...checkCard(card, all), ...unlistedInterfaces(card, all)];
}

function problems(change: object, some?: Partial<CardFacts>): readonly string[] {
  try {
    check(change, some);
  } catch (error) {
    assert.ok(error instanceof CardError);
    assert.ok(error.problems.every((problem) => error.message.includes(problem)));
    return error.problems;
  }
  return [];
}

test("a good card has neither problems nor warnings", () => {
  assert.deepEqual(check({}), []);
});

const schemaFaults: [string, object, string][] = [
  ["CARD-01: name", { name: 5 }, "name must be a string"],
  ["CARD-01: description", { description: undefined }, "description is required"],
  ["CARD-08: interfaces", { supportedInterfaces: [] }, "supportedInterfaces must have at least one element"],
  ["CARD-02: provider", { provider: { url: "https://p.example" } }, "provider.organization is required"],
  ["CARD-11: skill", { skills: [{ id: "a", name: "A", tags: [] }] }, "skills[0].description is required"],
  ["an unknown member", { colour: "red" }, "colour is not a member of this object"],
  [
    "CARD-14: the flat form of security requirements",
    { securityRequirements: [{ oauth: ["read"] }] },
    "securityRequirements[0].oauth is not a member of this object",
  ],
  [
    "CARD-15: two kinds of scheme in one",
    {
      securitySchemes: {
        both: { mtlsSecurityScheme: {}, httpAuthSecurityScheme: { scheme: "bearer" } },
      },
    },
    "securitySchemes.both must have exactly one of apiKeySecurityScheme, httpAuthSecurityScheme, oauth2SecurityScheme, openIdConnectSecurityScheme, mtlsSecurityScheme, not httpAuthSecurityScheme and mtlsSecurityScheme",
  ],
  [
    "CARD-18, CARD-19: two flows in one scheme",
    {
      securitySchemes: {
        o: {
          oauth2SecurityScheme: {
            flows: {
              clientCredentials: { tokenUrl: "https://t.example", scopes: {} },
              deviceCode: {
                deviceAuthorizationUrl: "https://t.example",
                tokenUrl: "https://t.example",
                scopes: {},
              },
            },
          },
        },
      },
    },
    "securitySchemes.o.oauth2SecurityScheme.flows must have exactly one of authorizationCode, clientCredentials, implicit, password, deviceCode, not clientCredentials and deviceCode",
  ],
  [
    "CARD-21: an API key without a place",
    { securitySchemes: { k: { apiKeySecurityScheme: { name: "X-Key" } } } },
    "securitySchemes.k.apiKeySecurityScheme.location is required",
  ],
];
for (const [title, change, problem] of schemaFaults) {
  test(`${title}: a card that breaks the schema is refused with the path`, () => {
    assert.deepEqual(problems(change), [problem]);
  });
}

test("CARD-13: a declared capability without its wiring is a problem", () => {
  assert.deepEqual(problems({ capabilities: { pushNotifications: true, extendedAgentCard: true } }), [
    "capabilities.pushNotifications is declared, but the agent does not support it",
    "capabilities.extendedAgentCard is declared, but the agent does not support it",
  ]);
  assert.deepEqual(
    problems({ capabilities: { pushNotifications: true } }, { supported: new Set(["pushNotifications"]) }),
    [],
  );
  assert.deepEqual(problems({ capabilities: { pushNotifications: false } }), []);
});

test("CARD-11: the ids of skills are unique", () => {
  const skill = { id: "a", name: "A", description: "A", tags: ["t"] };
  assert.deepEqual(problems({ skills: [skill, { ...skill, id: "b" }, skill] }), [
    'skills[2].id "a" belongs to an earlier skill',
  ]);
});

test("CARD-16: required schemes must be defined, in the card and in its skills", () => {
  const need = [{ schemes: { key: { list: [] } } }];
  const [skill] = input.skills ?? [];
  assert.deepEqual(
    problems({ securityRequirements: need, skills: [{ ...skill, securityRequirements: need }] }),
    [
      'securityRequirements[0].schemes names "key", which is not in securitySchemes',
      'skills[0].securityRequirements[0].schemes names "key", which is not in securitySchemes',
    ],
  );
  const securitySchemes = { key: { apiKeySecurityScheme: { location: "header", name: "X-Key" } } };
  assert.deepEqual(problems({ securityRequirements: need, securitySchemes }), []);
});

test("CARD-17: an empty entry, which lets anonymous callers in, is fine", () => {
  assert.deepEqual(check({ securityRequirements: [{}, { schemes: {} }] }), []);
});

test("CARD-20: deprecated flows are not offered", () => {
  const flows = { password: { tokenUrl: "https://t.example", scopes: {} } };
  assert.deepEqual(problems({ securitySchemes: { o: { oauth2SecurityScheme: { flows } } } }), [
    "securitySchemes.o.oauth2SecurityScheme.flows.password is deprecated: choose another flow",
  ]);
});

test("CARD-05: an interface below the agent must be served, with its binding and version", () => {
  const wrong = [
    { ...jsonRpc, url: "/elsewhere" },
    { ...jsonRpc, protocolBinding: "GRPC" },
    { ...jsonRpc, protocolVersion: "0.9" },
    jsonRpc,
    httpJson,
  ];
  assert.deepEqual(problems({ supportedInterfaces: wrong }), [
    "supportedInterfaces[0] is not served: JSONRPC 1.0 at https://host.example/elsewhere",
    "supportedInterfaces[1] is not served: GRPC 1.0 at https://host.example",
    "supportedInterfaces[2] is not served: JSONRPC 0.9 at https://host.example",
  ]);
});

test("CARD-09: an interface URL that is neither absolute nor below the agent is a problem", () => {
  const lost = ["host.example/a2a", "https://"].map((url) => ({ ...jsonRpc, url }));
  assert.equal(problems({ supportedInterfaces: [...lost, jsonRpc, httpJson] }).length, 2);
});

test("CARD-05, CARD-07: a foreign interface is believed, a slash at the end makes no difference", () => {
  const foreign = { url: "https://other.example", protocolBinding: "GRPC", protocolVersion: "1.0" };
  const slashed = { ...jsonRpc, url: "https://host.example/" };
  assert.deepEqual(check({ supportedInterfaces: [slashed, httpJson, foreign] }), []);
});

test("CARD-05: leaving out an interface that is served is a warning", () => {
  assert.deepEqual(check({ supportedInterfaces: [httpJson] }), [
    "supportedInterfaces does not list JSONRPC at https://host.example, which is served",
  ]);
});

test("JSON-07: empty skills, tags and modes are warnings, not problems", () => {
  assert.deepEqual(check({ skills: [], defaultInputModes: [], defaultOutputModes: [] }), [
    "skills is empty: clients have nothing to choose the agent by",
    "defaultInputModes is empty: clients have nothing to choose the agent by",
    "defaultOutputModes is empty: clients have nothing to choose the agent by",
  ]);
  assert.deepEqual(check({ skills: [{ id: "a", name: "A", description: "A" }] }), [
    "skills[0].tags is empty",
  ]);
});

test("CARD-04, CARD-09, CARD-10: plain http, an unnamed binding and a patch version are warnings", () => {
  const foreign = { url: "http://other.example", protocolBinding: "soap", protocolVersion: "1.0.1" };
  const own = {
    url: "http://127.0.0.1:1/x",
    protocolBinding: "https://soap.example/v1",
    protocolVersion: "1.0",
  };
  assert.deepEqual(check({ supportedInterfaces: [jsonRpc, httpJson, foreign, own] }), [
    "supportedInterfaces[2].url is not encrypted: use https",
    'supportedInterfaces[2].protocolBinding "soap" is neither JSONRPC, HTTP+JSON, GRPC nor a URI',
    "supportedInterfaces[2].protocolVersion must have the form Major.Minor, without a patch number",
  ]);
});

test("CARD-10, GEN-12: the name of a draft is no warning", () => {
  const drafts = [jsonRpc, httpJson].map((entry) => ({ ...entry, protocolVersion: "1.1-draft" }));
  assert.deepEqual(check({}, { served: drafts }), []);
});
