import assert from "node:assert/strict";
import { promises as dns } from "node:dns";
import { test } from "node:test";
import { networkResolver, systemResolver } from "../../../src/push/guard/resolver.js";

const fails = (code: string) => async () => {
  throw Object.assign(new Error(code), { code });
};

test("SEC-04: a name is resolved to all its addresses of both families", async (t) => {
  t.mock.method(dns.Resolver.prototype, "resolve4", async () => ["192.0.2.1", "192.0.2.2"]);
  t.mock.method(dns.Resolver.prototype, "resolve6", async () => ["2001:db8::1"]);
  assert.deepEqual(await networkResolver()("any.example"), ["192.0.2.1", "192.0.2.2", "2001:db8::1"]);
});

test("a name with addresses of one family has those", async (t) => {
  t.mock.method(dns.Resolver.prototype, "resolve4", fails("ENODATA"));
  t.mock.method(dns.Resolver.prototype, "resolve6", async () => ["2001:db8::1"]);
  assert.deepEqual(await networkResolver()("any.example"), ["2001:db8::1"]);
});

test("a name without addresses, or that nobody could be asked for, is an error", async (t) => {
  t.mock.method(dns.Resolver.prototype, "resolve4", fails("ETIMEOUT"));
  t.mock.method(dns.Resolver.prototype, "resolve6", fails("ETIMEOUT"));
  await assert.rejects(networkResolver()("any.example"), { code: "ETIMEOUT" });
  t.mock.method(dns.Resolver.prototype, "resolve4", async () => []);
  t.mock.method(dns.Resolver.prototype, "resolve6", async () => []);
  await assert.rejects(networkResolver()("any.example"), /any.example has no address/);
});

test("the system's resolver knows the machine's own name", async () => {
  const addresses = await systemResolver("localhost");
  assert.ok(addresses.includes("127.0.0.1") || addresses.includes("::1"));
});
