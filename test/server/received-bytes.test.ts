import assert from "node:assert/strict";
import { test } from "vitest";
import type { A2AError } from "../../src/protocol/errors.js";
import { ReceivedBytes } from "../../src/server/received-bytes.js";

const tooMany = (code: string) => ({ code, retryAfter: 5 });

test("SEC-08, ERR-21: an address that holds as much as it may gets RATE_LIMITED, others have room", () => {
  const received = new ReceivedBytes({ total: 1000, each: 100 });
  const [first, second, other] = [received.hold("a"), received.hold("a"), received.hold("b")];
  first.add(60);
  second.add(40);
  assert.throws(() => second.add(1), tooMany("RATE_LIMITED"));
  other.add(100);
  assert.equal(received.size, 200);
  first.release();
  first.release();
  second.add(60);
  second.release();
  other.release();
  assert.equal(received.size, 0);
});

test("SEC-08: what is alone has room, however large it is", () => {
  const received = new ReceivedBytes({ total: 100, each: 50 });
  const large = received.hold("a");
  large.add(90);
  large.add(90);
  assert.equal(received.size, 180);
  assert.throws(() => received.hold("a").add(1), tooMany("RATE_LIMITED"));
  assert.throws(() => received.hold("b").add(100), tooMany("UNAVAILABLE"));
});

test("SEC-08, ERR-20: for others the largest request of the address with the most is given up, and no smaller one", () => {
  const received = new ReceivedBytes({ total: 100, each: 80 });
  const givenUp: [name: string, code: string][] = [];
  const hold = (address: string, name: string) =>
    received.hold(address, ({ code }: A2AError) => givenUp.push([name, code]));
  hold("a", "small").add(10);
  hold("a", "large").add(50);
  hold("b", "other").add(30);
  const late = hold("c", "late");
  late.add(20);
  assert.deepEqual(givenUp, [["large", "UNAVAILABLE"]]);
  assert.equal(received.size, 60);
  // The address with the most asks for more: it gives way itself.
  const greedy = hold("b", "greedy");
  assert.throws(() => greedy.add(45), tooMany("UNAVAILABLE"));
  assert.equal(givenUp.length, 1);
  late.release();
  assert.equal(received.size, 40);
});

test("SEC-08: what cannot be given up is not, and then there is no room", () => {
  const received = new ReceivedBytes({ total: 100, each: 100 });
  received.hold("a").add(90);
  assert.throws(() => received.hold("b").add(20), tooMany("UNAVAILABLE"));
  received.hold("b").add(10);
  assert.equal(received.size, 100);
});

test("SEC-08: who takes part in nothing any more is forgotten", () => {
  const received = new ReceivedBytes({ total: 1000, each: 1000 });
  const all = Array.from({ length: 100 }, (_, index) => received.hold(`address ${index % 10}`));
  for (const held of all) held.add(10);
  for (const held of all) held.release();
  const last = received.hold("address 3");
  last.add(1000);
  assert.equal(received.size, 1000);
});
