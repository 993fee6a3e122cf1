import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "vitest";
import { assertHeld } from "./loop-holds.js";
import { serving } from "./serving-large.js";
import { ways } from "./ways.js";

/** An object with so many members, each of its own name. */
const objectOf = (members: number) =>
  Object.fromEntries(Array.from({ length: members }, (_, index) => [`name ${index}`, 0]));

/** What callers may send: one object of many names, or many objects with some of these names each. */
const bodies: readonly { readonly name: string; readonly make: (members: number) => unknown }[] = [
  { name: "one object", make: objectOf },
  { name: "objects of 100", make: (members) => Array.from({ length: members / 100 }, () => objectOf(100)) },
];

/** How long a message of one part holds the event loop: the shortest time of three. */
async function held({ peer, holds }: Awaited<ReturnType<typeof serving>>, part: object): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < 3; time += 1) {
    await holds();
    const message = { messageId: randomUUID(), role: "ROLE_USER", parts: [{ text: "large 0" }, part] };
    assert.ok((await peer.call("SendMessage", { message })).result);
    times.push((await holds()).longest);
  }
  return Math.min(...times);
}

for (const kind of ["memory", "SQLite"]) {
  test(`SEC-08: a body of many members is refused in every version and binding before it holds the event loop [${kind}]`, async () => {
    const serve = await serving(kind, 0, 0);
    try {
      for (const { name, make } of bodies) {
        const many = make(99_000);
        await serve.holds();
        for (const way of ways) {
          const texts = [
            JSON.stringify(way.body("hi", false, { params: { metadata: { many } } })),
            JSON.stringify(way.body("hi", false)).replace(
              /\{[^{}]*"text":"hi"\}/,
              `{"data":${JSON.stringify(many)}}`,
            ),
          ];
          for (const body of texts) {
            const response = await fetch(serve.server.url + way.path.send, {
              method: "POST",
              headers: { "Content-Type": "application/json", ...way.headers },
              body,
            });
            assert.match(await response.text(), /more than 50000 members/, `${way.name}, ${name}`);
          }
        }
        assertHeld(await serve.holds(), 0);
      }
    } finally {
      await serve.stop();
    }
  });

  test(`SEC-08: as many members as a body may have hold the event loop about as long as text [${kind}]`, async () => {
    const serve = await serving(kind, 0, 0);
    try {
      const text = await held(serve, { text: "x".repeat(9 * 1024 * 1024) });
      for (const { name, make } of bodies) {
        const members = await held(serve, { data: make(49_900) });
        // A long text takes a turn for each of its steps; a body of this size takes one, and on a busy machine garbage collection weighs more.
        assert.ok(members < 2.5 * text + 120, `${name}: ${members} ms, text ${text} ms`);
      }
    } finally {
      await serve.stop();
    }
  });
}
