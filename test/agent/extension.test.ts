import assert from "node:assert/strict";
import { test } from "vitest";
import { artifact, defineExtension, userMessage } from "../../src/index.js";

const uri = "https://example.com/extensions/priority/v1";
const priority = defineExtension<{ level: number }>({ uri });
const timestamp = defineExtension<string>({ uri, key: `${uri}/timestamp` });

test("EXT-01: the declaration holds what was given and nothing else", () => {
  const described = { uri, description: "Work in order.", required: true, params: { levels: 3 } };
  const extension = defineExtension({ ...described, metadata: { type: "object" }, key: `${uri}/level` });
  assert.deepEqual(extension.declaration, described);
  assert.deepEqual(priority.declaration, { uri });
});

test("EXT-15: data sits in metadata under the URI, or under a key that begins with it", () => {
  assert.deepEqual(priority.write({ level: 1 }), { [uri]: { level: 1 } });
  assert.deepEqual(timestamp.write("noon"), { [`${uri}/timestamp`]: "noon" });
  for (const key of [uri, `${uri}/a`, `${uri}#a`, `${uri}?a`, `${uri}:a`]) {
    assert.deepEqual(priority.read({ metadata: { other: 1, [key]: { level: 2 } } }), { level: 2 });
  }
  const both = { [`${uri}/timestamp`]: "noon", [uri]: { level: 1 } };
  assert.deepEqual(priority.read({ metadata: both }), { level: 1 });
  assert.equal(timestamp.read({ metadata: both }), "noon");
});

test("EXT-11, EXT-13: a longer version number is another extension", () => {
  for (const key of [`${uri}0`, `${uri}.1`, uri.slice(0, -1), uri.toUpperCase()]) {
    assert.equal(priority.read({ metadata: { [key]: { level: 1 } } }), undefined);
  }
  assert.equal(timestamp.read({ metadata: { [uri]: "noon" } }), undefined);
  assert.equal(priority.read({}), undefined);
});

test("EXT-15: attaching adds the data and lists the URI once, and leaves what was there alone", () => {
  const message = userMessage("hello", {
    metadata: { mood: "good" },
    extensions: ["https://example.com/a/v1"],
  });
  const marked = priority.attach(priority.attach(message, { level: 1 }), { level: 2 });
  assert.deepEqual(marked.extensions, ["https://example.com/a/v1", uri]);
  assert.deepEqual(marked.metadata, { mood: "good", [uri]: { level: 2 } });
  assert.deepEqual(message.metadata, { mood: "good" });
  const chunk = artifact(priority.attach({ name: "answer" }, { level: 3 })).text("a");
  assert.deepEqual(chunk.artifactUpdate.artifact.extensions, [uri]);
});

test("EXT-02: an extension is off unless this call asks for it", () => {
  assert.equal(priority.isActive({ extensions: new Set() }), false);
  assert.equal(priority.isActive({ extensions: new Set([`${uri}0`]) }), false);
  assert.equal(priority.isActive({ extensions: new Set([uri]) }), true);
});

test("a URI that no header could carry, and a key that does not begin with the URI, are refused", () => {
  for (const wrong of ["", "https://example.com/a,b", "https://example.com/a b"]) {
    assert.throws(() => defineExtension({ uri: wrong }), TypeError);
  }
  for (const key of ["level", `${uri}0`, uri.slice(0, -1)]) {
    assert.throws(() => defineExtension({ uri, key }), TypeError);
  }
});
