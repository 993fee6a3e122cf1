import assert from "node:assert/strict";
import { test } from "vitest";
import { parseUrl } from "../../src/net/url.js";

test("a host name with an umlaut is a URL, however often it is asked", () => {
  for (let count = 0; count < 20_000; count += 1) {
    assert.equal(parseUrl("https://b\u00fccher.example/")?.hostname, "xn--bcher-kva.example");
  }
});

test("a text that is no URL is undefined, and a relative one needs a base", () => {
  assert.equal(parseUrl("no URL"), undefined);
  assert.equal(parseUrl("/path"), undefined);
  assert.equal(parseUrl("/path", "https://a.example")?.href, "https://a.example/path");
});
