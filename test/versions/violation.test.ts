import assert from "node:assert/strict";
import { test } from "vitest";
import { describeFault, violationOf } from "../../src/json/violation.js";
import {
  isAgentCard,
  isMessage,
  isSendMessageRequest,
  type ValidationError,
} from "../../src/protocol/model.js";
import { refusal } from "../../src/versions/read-request.js";

const fault = (
  keyword: string,
  params: object = {},
  instancePath = "/message/parts/0",
): ValidationError[] => [{ instancePath, keyword, params: { ...params }, schemaPath: "#" }];

const table: [errors: ValidationError[], field: string, description: string][] = [
  [fault("required", { missingProperty: "role" }, "/message"), "message.role", "is required"],
  [fault("required", { missingProperty: "message" }, ""), "message", "is required"],
  [fault("type", { type: "string" }, "/message/parts/0/url"), "message.parts[0].url", "must be a string"],
  [fault("type", { type: "object" }), "message.parts[0]", "must be an object"],
  [fault("type", { type: "array" }), "message.parts[0]", "must be a list"],
  [fault("type", { type: "boolean" }), "message.parts[0]", "must be true or false"],
  [fault("type", { type: "integer" }), "message.parts[0]", "must be a whole number"],
  [fault("type", { type: "null" }), "message.parts[0]", "must be null"],
  [fault("enum", { allowedValues: ["A", "B"] }), "message.parts[0]", "must be one of A, B"],
  [fault("minItems", { limit: 1 }), "message.parts[0]", "must have at least one element"],
  [fault("minItems", { limit: 2 }), "message.parts[0]", "must have at least 2 elements"],
  [fault("minLength", { limit: 1 }), "message.parts[0]", "must not be empty"],
  [fault("minLength", { limit: 3 }), "message.parts[0]", "must have at least 3 characters"],
  [fault("minimum", { limit: 1 }), "message.parts[0]", "must be at least 1"],
  [fault("maximum", { limit: 100 }), "message.parts[0]", "must be at most 100"],
  [fault("format", { format: "byte" }), "message.parts[0]", "must be base64 text"],
  [fault("format", { format: "uri" }), "message.parts[0]", "must be uri"],
  [
    fault("format", { format: "date-time" }),
    "message.parts[0]",
    "must be an ISO 8601 time such as 2026-01-31T12:00:00Z",
  ],
  [
    fault("exactlyOne", { members: ["text", "raw"], present: [] }),
    "message.parts[0]",
    "must have exactly one of text, raw",
  ],
  [
    fault("exactlyOne", { members: ["text", "raw"], present: ["text", "raw"] }),
    "message.parts[0]",
    "must have exactly one of text, raw, not text and raw",
  ],
  [
    fault("atMostOne", { members: ["text", "raw"], present: ["text", "raw"] }),
    "message.parts[0]",
    "must have at most one of text, raw, not text and raw",
  ],
  [
    fault("closed", { additionalProperty: "kind" }),
    "message.parts[0].kind",
    "is not a member of this object",
  ],
  [fault("enum", { allowedValues: "?" }), "message.parts[0]", "must be one of ?"],
  [fault("newRule"), "message.parts[0]", "is not valid"],
  [
    fault("type", { type: "string" }, "/securitySchemes/a~1b~0c"),
    "securitySchemes.a/b~c",
    "must be a string",
  ],
  [[], "", "is not valid"],
];

for (const [errors, field, description] of table) {
  test(`ERR-12, ERR-24: ${errors[0]?.keyword ?? "no fault"} reads "${field} ${description}"`, () => {
    assert.deepEqual(violationOf(errors), { field, description });
  });
}

test("ERR-12: the path begins at the root that is given", () => {
  assert.equal(isMessage({ messageId: "m", role: "ROLE_AGENT", parts: [{}] }), false);
  assert.equal(violationOf(isMessage.errors, "status.message").field, "status.message.parts[0]");
  assert.equal(violationOf(null, "status").field, "status");
});

test("a fault is told as a sentence", () => {
  assert.equal(isAgentCard([]), false);
  assert.equal(describeFault(isAgentCard.errors), "The value must be an object");
  assert.equal(
    describeFault(fault("required", { missingProperty: "role" }, "/message")),
    "message.role is required",
  );
});

test("ERR-11, ERR-24: the refusal names member and rule in text and details", () => {
  assert.equal(isSendMessageRequest({ message: { messageId: "m", role: "ROLE_USER", parts: [] } }), false);
  const error = refusal(isSendMessageRequest.errors);
  assert.equal(error.code, "INVALID_PARAMS");
  assert.equal(error.message, "Invalid parameters: message.parts must have at least one element");
  assert.deepEqual(error.violations, [
    { field: "message.parts", description: "must have at least one element" },
  ]);
  assert.equal(isSendMessageRequest(7), false);
  assert.equal(
    refusal(isSendMessageRequest.errors).message,
    "Invalid parameters: the parameters must be an object",
  );
});
