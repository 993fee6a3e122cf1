import assert from "node:assert/strict";
import { test } from "vitest";
import { isPublicAddress } from "../../../src/push/url-guard/check-url.js";

const closed: Readonly<Record<string, readonly string[]>> = {
  unspecified: ["0.0.0.0", "0.1.2.3", "::"],
  loopback: ["127.0.0.1", "127.255.255.254", "::1"],
  private: ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
  "unique-local": ["fc00::1", "fd00:ec2::254", "fdff::1"],
  "link-local": ["169.254.169.254", "fe80::1", "fe80::1%eth0", "febf::1"],
  "carrier-grade NAT": ["100.64.0.1", "100.100.100.200", "100.127.255.255"],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1"],
  reserved: ["240.0.0.1", "255.255.255.255", "192.0.0.192", "168.63.129.16", "2001::1", "4000::1", "5f00::1"],
  benchmarking: ["198.18.0.1", "198.19.255.255", "2001:2::1"],
  documentation: ["192.0.2.1", "198.51.100.7", "203.0.113.9", "2001:db8::1", "3fff::1"],
  "IPv4 inside IPv6": [
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "::ffff:0:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
  ],
  "no address": ["", "localhost", "127.1", "1.2.3.4.5", "[::1]"],
};

for (const [kind, addresses] of Object.entries(closed)) {
  for (const address of addresses) {
    test(`SEC-04: ${kind}: ${address || '""'} is not public`, () => {
      assert.equal(isPublicAddress(address), false);
    });
  }
}

for (const address of [
  "1.1.1.1",
  "8.8.8.8",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.1",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2606:4700::1111",
  "2a00:1450:4001::1",
]) {
  test(`SEC-04: ${address} is public`, () => assert.equal(isPublicAddress(address), true));
}
