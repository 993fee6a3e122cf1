import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "vitest";
import { endOfTurn } from "../../src/async/end-of-turn.js";
import { runtime as node } from "../../src/runtime/node.js";
import type { IpNetwork, Runtime } from "../../src/runtime/runtime.js";
import { runtime as web } from "../../src/runtime/web.js";

const texts = ["", "a", "grüße", "😀", "x".repeat(1000), "\ud800"];

/** Asserts that the platforms answer the same. */
function same<Value>(ask: (runtime: Runtime) => Value, about?: unknown): void {
  assert.deepEqual(ask(web), ask(node), JSON.stringify(about));
}

test("every platform computes the same digests, and compares them", () => {
  const key = randomBytes(32);
  for (const text of texts) {
    same((runtime) => [...runtime.sha256(text)], text);
    same((runtime) => [...runtime.sha256(new TextEncoder().encode(text))], text);
    same((runtime) => [...runtime.hmacSha256(key, text)], text);
    same((runtime) => runtime.byteLength(text), text);
    same((runtime) => runtime.toBase64Url(text), text);
    same((runtime) => runtime.toBase64Url(runtime.sha256(text)), text);
  }
  const digest = node.sha256("a");
  same((runtime) => runtime.timingSafeEqual(digest, node.sha256("a")));
  same((runtime) => runtime.timingSafeEqual(digest, node.sha256("b")));
});

test("every platform reads base64 of both alphabets, with and without padding, and skips what is none", () => {
  const encoded = [
    "",
    "YQ==",
    "YQ",
    "Z3LDvMOfZQ==",
    "-_-_",
    "+/+/",
    "a",
    "YWJj\nZGVm",
    "Y Q",
    "%%%",
    "YWJjZ",
  ];
  for (const text of encoded) same((runtime) => [...runtime.fromBase64(text)], text);
});

test("every platform knows the same texts as IP addresses", () => {
  const addresses = [
    ...["127.0.0.1", "255.255.255.255", "::1", "2001:db8::1", "::ffff:1.2.3.4", "fe80::1%eth0"],
    ...[
      "127.1",
      "0x7f.0.0.1",
      "01.2.3.4",
      "1.2.3.4.5",
      "256.1.1.1",
      "",
      "localhost",
      "1:2:3",
      ":::",
      "[::1]",
    ],
  ];
  for (const address of addresses) same((runtime) => runtime.ipVersion(address), address);
});

test("every platform finds the same addresses in networks, mapped ones included", () => {
  const networks: IpNetwork[] = [
    ["10.0.0.0", 8],
    ["192.0.2.128", 25],
    ["2001:db8::", 32],
    ["2000::", 3],
  ];
  const addresses = ["10.1.2.3", "11.0.0.1", "192.0.2.127", "192.0.2.128", "::ffff:10.0.0.1", "::ffff:a00:1"];
  for (const address of [...addresses, "2001:db8::5", "3fff::1", "4000::1", "::1", "fe80::1"]) {
    same((runtime) => runtime.addressSet(networks)(address), address);
    same((runtime) => runtime.addressSet(networks.slice(0, 2))(address), address);
  }
});

test("every platform calls what waits for the end of the tick, and then what waits for other events", async () => {
  for (const runtime of [node, web]) {
    const order: string[] = [];
    await new Promise<void>((resolve) => {
      runtime.afterEvents(() => {
        order.push("events");
        resolve();
      });
      runtime.afterTick(() => order.push("tick"));
      order.push("now");
    });
    assert.deepEqual(order, ["now", "tick", "events"]);
  }
});

test("all that wait for the end of a turn wait for one promise, and the next turn has another", async () => {
  const first = endOfTurn();
  assert.ok(first);
  assert.equal(endOfTurn(), first);
  let isOver = false;
  void first.then(() => {
    isOver = true;
  });
  await Promise.resolve();
  assert.equal(isOver, false);
  await first;
  assert.notEqual(endOfTurn(), first);
  assert.equal(web.afterTurn, undefined);
});

test("errors are shown with their causes, also when an error is its own cause", () => {
  const error = new Error("outside", { cause: new TypeError("inside") });
  const circle = new Error("circle");
  circle.cause = circle;
  for (const runtime of [node, web]) {
    assert.match(runtime.inspect(error), /outside[\s\S]+inside/);
    assert.match(runtime.inspect(circle), /circle/);
    assert.match(runtime.inspect({ a: 1 }), /a/);
    assert.match(runtime.inspect(undefined), /undefined/);
  }
});

test("where there are no files, no document is read from one", () => {
  assert.equal(web.files, undefined);
  assert.ok("info" in (node.files?.openApi("1.0") ?? {}));
  assert.throws(() => node.files?.packageFiles("a-package-that-is-not-there"));
});
