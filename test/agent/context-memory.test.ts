import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { contextMemory, reply } from "../../src/index.js";
import { onBoth } from "../support/both.js";
import { fakeTimers } from "../support/fake-timers.js";
import { text } from "../support/peer.js";

/** A conversation as an executor sees it. */
function conversation(contextId: string, owner = "", tenant = "") {
  return { contextId, call: { tenant, principal: { id: owner } } } as Parameters<
    ReturnType<typeof contextMemory>["of"]
  >[0];
}

const turns = contextMemory({ create: () => [] as string[] });

onBoth(
  "TURN-19: what was said in a context is remembered in it, and nowhere else",
  (context) => {
    const said = turns.of(context);
    said.push(context.text);
    return reply(said.join());
  },
  async (peer) => {
    const say = async (words: string, contextId: string) => {
      const answer = await peer.call("SendMessage", text(words, { message: { contextId } }));
      return answer.result.message.parts[0].text;
    };
    const [one, other] = [`one ${peer.binding}`, `other ${peer.binding}`];
    assert.equal(await say("a", one), "a");
    assert.equal(await say("b", one), "a,b");
    assert.equal(await say("c", other), "c");
  },
);

test("TURN-21: equal context ids of different callers or tenants never meet", () => {
  const memory = contextMemory({ create: () => ({}) });
  const places = [
    conversation("c"),
    conversation("c", "ann"),
    conversation("c", "bob"),
    conversation("c", "ann", "acme"),
    conversation("c", "", "ann"),
  ];
  const states = places.map((place) => memory.of(place));
  assert.equal(new Set(states).size, places.length);
  assert.deepEqual(
    places.map((place) => memory.of(place)),
    states,
  );
});

test("AUTHZ-05: a rule of the application says whose conversation it is", () => {
  const memory = contextMemory({ create: () => ({}), scope: ({ tenant }) => ({ tenant, owner: "team" }) });
  assert.equal(memory.of(conversation("c", "ann")), memory.of(conversation("c", "bob")));
  assert.notEqual(memory.of(conversation("c", "ann")), memory.of(conversation("c", "ann", "acme")));
});

test("create is told which conversation begins", () => {
  const memory = contextMemory({ create: ({ contextId, call }) => `${contextId} of ${call.principal.id}` });
  assert.equal(memory.of(conversation("c", "ann")), "c of ann");
});

test("TURN-20: a conversation that nobody touches is forgotten after its time, one that is in use is not", () => {
  fakeTimers(["Date"]);
  let made = 0;
  const memory = contextMemory({ create: () => ++made, ttl: 1000 });
  assert.equal(memory.of(conversation("idle")), 1);
  assert.equal(memory.of(conversation("busy")), 2);
  vi.advanceTimersByTime(999);
  assert.equal(memory.of(conversation("busy")), 2);
  vi.advanceTimersByTime(1);
  assert.equal(memory.of(conversation("idle")), 3);
  vi.advanceTimersByTime(998);
  assert.equal(memory.of(conversation("busy")), 2);
  vi.advanceTimersByTime(1000);
  assert.equal(memory.of(conversation("busy")), 4);
});

test("beyond the cap the conversation that was untouched for longest is forgotten", () => {
  let made = 0;
  const memory = contextMemory({ create: () => ++made, max: 2 });
  assert.equal(memory.of(conversation("a")), 1);
  assert.equal(memory.of(conversation("b")), 2);
  assert.equal(memory.of(conversation("a")), 1);
  assert.equal(memory.of(conversation("c")), 3);
  assert.equal(memory.of(conversation("a")), 1);
  assert.equal(memory.of(conversation("b")), 4);
});

test("an undefined state is a state, and a failing create is asked again", () => {
  let asked = 0;
  const memory = contextMemory<undefined>({
    create: () => {
      asked += 1;
      if (asked === 1) throw new Error("not now");
      return undefined;
    },
  });
  assert.throws(() => memory.of(conversation("a")), /not now/);
  memory.of(conversation("a"));
  memory.of(conversation("a"));
  assert.equal(asked, 2);
});

test("a time or cap that can hold nothing is refused", () => {
  const create = () => 0;
  for (const options of [{ ttl: 0 }, { ttl: Number.NaN }, { max: 0 }, { max: Number.NaN }]) {
    assert.throws(() => contextMemory({ create, ...options }), TypeError);
  }
});
