import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "vitest";
import { withValueAt } from "../../../src/inspector/page/forms/edit-value.js";
import {
  blankValue,
  type FormDocument,
  oneOfNames,
  resolveNode,
} from "../../../src/inspector/page/forms/form-schema.js";
import { placedProblems } from "../../../src/inspector/page/forms/json-place.js";
import { schemaProblems } from "../../../src/inspector/page/forms/schema-problems.js";
import {
  carriedOver,
  firstRequest,
  operationNames,
  requestNode,
} from "../../../src/inspector/page/screens/operations/call-request.js";

const file = new URL("../../../schema/v1.0/a2a.schema.json", import.meta.url);
const document = JSON.parse(readFileSync(file, "utf8")) as FormDocument;
const part = resolveNode({ $ref: "#/$defs/Part" }, document);

function problems(value: unknown, definition: string): string[] {
  const node = { $ref: `#/$defs/${definition}` };
  return schemaProblems(value, node, document).map(({ path, message }) => `${path.join(".")}: ${message}`);
}

describe("a request", () => {
  test("of each of the eleven operations begins with its required members", () => {
    assert.equal(operationNames.length, 11);
    for (const name of operationNames) {
      const request = firstRequest(name, document) as Record<string, unknown>;
      const { required = [] } = requestNode(name, document);
      assert.deepEqual(Object.keys(request).sort(), [...required].sort(), name);
    }
    assert.deepEqual(problems(firstRequest("SendMessage", document), "SendMessageRequest"), []);
  });

  test("takes the task of the one before it, and keeps a task that it names itself", () => {
    assert.deepEqual(carriedOver({ id: "t1" }, { id: "" }), { id: "t1" });
    assert.deepEqual(carriedOver({ id: "t1" }, { taskId: "", url: "" }), { taskId: "t1", url: "" });
    assert.deepEqual(carriedOver({ taskId: "t1", id: "c1" }, { id: "" }), { id: "t1" });
    assert.deepEqual(carriedOver({ id: "t1" }, { id: "t2" }), { id: "t2" });
    assert.deepEqual(carriedOver({ id: "" }, { id: "" }), { id: "" });
    assert.deepEqual(carriedOver(undefined, { pageSize: 3 }), { pageSize: 3 });
  });

  test("is changed at a place without changing the rest", () => {
    const value = { a: [{ b: 1 }, { b: 2 }], c: 3 };
    assert.deepEqual(withValueAt(value, ["a", 1, "b"], 5), { a: [{ b: 1 }, { b: 5 }], c: 3 });
    assert.deepEqual(withValueAt(value, ["a", 0], undefined), { a: [{ b: 2 }], c: 3 });
    assert.deepEqual(withValueAt(value, ["c"], undefined), { a: value.a });
    assert.deepEqual(withValueAt(value, ["new", 0], "x"), { ...value, new: ["x"] });
    assert.deepEqual(value, { a: [{ b: 1 }, { b: 2 }], c: 3 });
  });
});

describe("the schema of a part", () => {
  test("demands exactly one content", () => {
    assert.deepEqual(oneOfNames(part), ["text", "raw", "url", "data"]);
    assert.deepEqual(blankValue(part, document), { text: "" });
    assert.deepEqual(problems({ text: "" }, "Part"), []);
    assert.deepEqual(problems({ data: null }, "Part"), []);
    assert.deepEqual(problems({ text: "a", url: "b" }, "Part"), [
      ": Exactly one of text, raw, url, data, not 2",
    ]);
    assert.deepEqual(problems({ filename: "a" }, "Part"), [": Exactly one of text, raw, url, data"]);
    assert.deepEqual(problems({ raw: "a" }, "Part"), ["raw: This must be base64 with padding"]);
  });

  test("names each member that is wrong, by its place", () => {
    const message = { messageId: "", role: "USER", parts: [{ text: 1 }], extra: true };
    assert.deepEqual(problems({ message }, "SendMessageRequest"), [
      "message.messageId: This must not be empty",
      "message.role: One of ROLE_UNSPECIFIED, ROLE_USER, ROLE_AGENT",
      "message.parts.0.text: This must be text",
      "message.extra: The protocol has no member “extra” here",
    ]);
    assert.deepEqual(
      problems({ message: { role: "ROLE_USER", messageId: "m", parts: [] } }, "SendMessageRequest"),
      ["message.parts: At least one entry"],
    );
    assert.deepEqual(problems({}, "GetTaskRequest"), ["id: “id” is required"]);
    assert.deepEqual(
      problems({ pageSize: 101, statusTimestampAfter: "now", historyLength: 1.5 }, "ListTasksRequest"),
      [
        "pageSize: At most 100",
        "statusTimestampAfter: A time such as 2026-01-31T12:00:00Z",
        "historyLength: This must be a whole number",
      ],
    );
  });
});

test("a problem is marked at its value in the JSON text, or at the object that lacks a member", () => {
  const text = '{\n  "a": {"b": [1, "two"], "c": null}\n}';
  const mark = (path: (string | number)[]) => {
    const [problem] = placedProblems(text, [{ path, message: "wrong" }]);
    return text.slice(problem?.from, problem?.to);
  };
  assert.equal(mark(["a", "b", 1]), '"two"');
  assert.equal(mark(["a", "c"]), "null");
  assert.equal(mark(["a", "missing"]), '{"b": [1, "two"], "c": null}');
  assert.equal(mark([]), text);
  assert.deepEqual(placedProblems("", [{ path: ["a"], message: "wrong" }]), [
    { from: 0, to: 0, message: "wrong" },
  ]);
});
