import assert from "node:assert/strict";
import { afterAll, test } from "vitest";
import { diffSchema } from "../../../codegen/import/diff-schema.js";
import { factsAsBundle } from "./facts-as-bundle.js";
import { earlyFacts, factsAsJsonSchema } from "./facts-as-json-schema.js";
import { factsAsProto } from "./facts-as-proto.js";
import { bundlePlants, earlyPlants, type JsonPlant, requiredBundlePlants } from "./json-plants.js";
import { protoPlants } from "./proto-plants.js";
import { factsOf10, schemasTo10, scratch } from "./scratch.js";

/*
 * Differences planted in the text of a file as upstream would write it: each is found, and named as it is expected. What cannot be
 * compared says why.
 */
const place = await scratch(schemasTo10);
afterAll(() => place.remove());

async function said(content: string | object, version: string) {
  const file = await place.file("planted", content);
  const { lines, exitCode } = await diffSchema(place.root, { file, version });
  return { text: lines.join("\n"), exitCode };
}

const proto = factsAsProto(factsOf10());
for (const [what, from, to, expected] of protoPlants) {
  test(`found in a protocol definition: ${what}`, async () => {
    assert.ok(proto.includes(from), `the file has no ${from}`);
    const { text, exitCode } = await said(proto.replace(from, to), "1.0");
    assert.ok(text.includes(expected), text);
    assert.notEqual(exitCode, 0);
  });
}

/** A bundle that says which members are required, as some do. */
function requiredBundle(): any {
  const { messages } = factsOf10();
  const bundle: any = factsAsBundle(factsOf10());
  for (const definition of Object.values<any>(bundle.definitions)) {
    const name = String(definition.title).replaceAll(" ", "");
    const fields = Object.entries(messages[name]?.fields ?? {});
    const required = fields.filter(([, field]) => field.required).map(([field]) => field);
    if (required.length > 0) definition.required = required;
  }
  return bundle;
}

const forms: readonly (readonly [
  form: string,
  version: string,
  make: () => any,
  plants: readonly JsonPlant[],
])[] = [
  ["a bundle", "1.0", () => factsAsBundle(factsOf10()), bundlePlants],
  ["a bundle with required members", "1.0", requiredBundle, requiredBundlePlants],
  ["a JSON Schema of 0.3", "0.3", () => factsAsJsonSchema(earlyFacts("0.3"), "definitions"), earlyPlants],
];
for (const [form, version, make, plants] of forms) {
  test(`nothing is found in ${form} that is as it was`, async () => {
    assert.match((await said(make(), version)).text, /Nothing differs\.$/);
  });
  for (const [what, plant, expected] of plants) {
    test(`found in ${form}: ${what}`, async () => {
      const document = make();
      plant(document.definitions, document);
      const { text, exitCode } = await said(document, version);
      assert.ok(text.includes(expected), text);
      assert.notEqual(exitCode, 0);
    });
  }
}

test("at least ninety kinds are planted", () => {
  const all = [protoPlants, bundlePlants, requiredBundlePlants, earlyPlants].flatMap((plants) => [...plants]);
  assert.ok(all.length >= 90, `${all.length}`);
});
