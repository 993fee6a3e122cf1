import assert from "node:assert/strict";
import { test } from "vitest";
import { UrlGuard } from "../../../src/push/url-guard/url-guard.js";

const HOSTS = 'write hosts, such as "hooks.example.com", or "*.example.com" for its subdomains';
const LEFT_OUT = "leave the option out to accept all hosts";

test("entries of allowHosts that no host matches are refused with what to write instead", () => {
  const wrong: [entry: string, advice: string][] = [
    ["example.com:8443", 'write "example.com"'],
    ["https://example.com", 'write "example.com"'],
    ["https://example.com:8443/hooks", 'write "example.com"'],
    ["example.com/hooks", 'write "example.com"'],
    ["[2606:4700::1111]:8443", 'write "[2606:4700::1111]"'],
    ["https://*.example.com", 'write "*.example.com"'],
    ["*", LEFT_OUT],
    ["*.", LEFT_OUT],
    ["*:8443", LEFT_OUT],
    ["", HOSTS],
    ["*example.com", HOSTS],
    ["hooks.*.example.com", HOSTS],
    ["*.*.example.com", HOSTS],
    ["hooks.example.com, other.example.com", HOSTS],
    ["300.1.1.1", HOSTS],
  ];
  for (const [entry, advice] of wrong) {
    const message = `allowHosts: "${entry}" matches no host: ${advice}`;
    assert.throws(() => new UrlGuard({ allowHosts: ["a.example", entry] }), { name: "TypeError", message });
  }
  const right = [
    "a.example",
    "*.A.example.",
    "bücher.example",
    "127.0.0.1",
    "127.1",
    "::1",
    "[::1]",
    "localhost",
  ];
  for (const entry of right) new UrlGuard({ allowHosts: [entry] }).close();
});
