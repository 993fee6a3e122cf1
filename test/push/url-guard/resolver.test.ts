import assert from "node:assert/strict";
import { promises as dns } from "node:dns";
import { test, vi } from "vitest";
import { networkResolver, systemResolver } from "../../../src/push/url-guard/resolver.js";

const fails = (code: string) => async () => {
  throw Object.assign(new Error(code), { code });
};

test("SEC-04: a name is resolved to all its addresses of both families", async () => {
  vi.spyOn(dns.Resolver.prototype, "resolve4").mockImplementation(async () => ["192.0.2.1", "192.0.2.2"]);
  vi.spyOn(dns.Resolver.prototype, "resolve6").mockImplementation(async () => ["2001:db8::1"]);
  assert.deepEqual(await networkResolver()("any.example"), ["192.0.2.1", "192.0.2.2", "2001:db8::1"]);
});

test("a name with addresses of one family has those", async () => {
  vi.spyOn(dns.Resolver.prototype, "resolve4").mockImplementation(fails("ENODATA"));
  vi.spyOn(dns.Resolver.prototype, "resolve6").mockImplementation(async () => ["2001:db8::1"]);
  assert.deepEqual(await networkResolver()("any.example"), ["2001:db8::1"]);
});

test("a name without addresses, or that nobody could be asked for, is an error", async () => {
  vi.spyOn(dns.Resolver.prototype, "resolve4").mockImplementation(fails("ETIMEOUT"));
  vi.spyOn(dns.Resolver.prototype, "resolve6").mockImplementation(fails("ETIMEOUT"));
  await assert.rejects(networkResolver()("any.example"), { code: "ETIMEOUT" });
  vi.spyOn(dns.Resolver.prototype, "resolve4").mockImplementation(async () => []);
  vi.spyOn(dns.Resolver.prototype, "resolve6").mockImplementation(async () => []);
  await assert.rejects(networkResolver()("any.example"), /any.example has no address/);
});

test("the system's resolver knows the machine's own name", async () => {
  const addresses = await systemResolver("localhost");
  assert.ok(addresses.includes("127.0.0.1") || addresses.includes("::1"));
});
