import assert from "node:assert/strict";
import { test } from "vitest";
import { listTranslation, notWritten, translation } from "../../src/versions/translation.js";

interface Pet {
  name: string;
  age?: number;
  toys?: string[];
  note?: string;
  owner?: { id: string };
}

const owner = translation<{ id: string }, { key: string }>({ id: { as: "key" } });
const pets = translation<Pet, object, string>({
  name: { as: "called", aliases: ["title"], read: (given, place) => given ?? place },
  age: {
    read: (given) => (typeof given === "string" ? Number(given) : given),
    write: (age) => age && age * 2,
  },
  toys: {},
  note: { empty: true },
  owner,
});

test("one table renames in both directions", () => {
  const pet: Pet = { name: "Rex", toys: ["ball"], owner: { id: "o" } };
  const written = pets.write(pet);
  assert.deepEqual(written, { called: "Rex", toys: ["ball"], owner: { key: "o" } });
  assert.deepEqual(pets.read(written, "nobody"), pet);
});

test("the proper name counts before other ones, null is absent, and what is absent may be known from elsewhere", () => {
  assert.deepEqual(pets.read({ called: null, title: "Rex", age: "3" }, "nobody"), { name: "Rex", age: 3 });
  assert.deepEqual(pets.read({ called: "Rex", title: "Tom", colour: "red" }, "nobody"), { name: "Rex" });
  assert.deepEqual(pets.read({}, "nobody"), { name: "nobody" });
});

test("what is no object stays as it is, for the validator to name", () => {
  assert.equal(pets.read("Rex", "nobody"), "Rex");
  assert.deepEqual(listTranslation(pets).read(["Rex", { title: "Tom" }], "nobody"), ["Rex", { name: "Tom" }]);
  assert.equal(listTranslation(pets).read("none", "nobody"), "none");
});

test("empty texts and lists are written only where they mean something, and an absent object is none", () => {
  assert.deepEqual(pets.write({ name: "", toys: [], note: "" }), { note: "" });
  assert.deepEqual(listTranslation(pets).write([{ name: "Rex", age: 1 }]), [{ called: "Rex", age: 2 }]);
  assert.equal(listTranslation(pets).write(undefined as never), undefined);
  const secret = translation<Pet, object>({ name: { write: notWritten }, note: { write: () => "seen" } });
  assert.deepEqual(secret.write({ name: "Rex" }), { note: "seen" });
});
