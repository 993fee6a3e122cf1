import assert from "node:assert/strict";
import { test } from "vitest";
import { bareHost, checkUrl, UrlRefused, type UrlRules } from "../../../src/push/url-guard/check-url.js";

const refused: readonly (readonly [url: string, why: RegExp, rules?: UrlRules])[] = [
  ["", /absolute/],
  ["/hook", /absolute/],
  ["example.com/hook", /absolute/],
  ["//example.com/hook", /absolute/],
  ["http://example.com/hook", /absolute https/],
  ["ftp://example.com/hook", /http or https/, { allowHttp: true }],
  ["javascript:alert(1)", /absolute/],
  ["file:///etc/passwd", /absolute/],
  ["https:example.com/hook", /host/],
  ["https:/example.com/hook", /host/],
  ["https:///example.com/hook", /host/],
  ["https://user:password@example.com/", /credentials/],
  ["https://user@example.com/", /credentials/],
  ["https://@example.com/", /credentials/],
  ["https://example.com@127.0.0.1/", /credentials/],
  ["https://example.com/\r\nX-Injected: 1", /control/],
  ["https://exam\tple.com/", /control/],
  [" https://example.com/", /spaces/],
  ["https://example.com\\@127.0.0.1/", /backslash/],
  ["https://example.com/\u0000", /control/],
  ["https://example.com/\u007f", /control/],
  [`https://example.com/${"a".repeat(2048)}`, /longer/],
  ["https://127.0.0.1/", /private/],
  ["https://127.0.0.1:8443/hook?a=b", /private/],
  ["https://[::1]/", /private/],
  ["https://[::1]:443/", /private/],
  ["https://[::ffff:127.0.0.1]/", /private/],
  ["https://[::ffff:8.8.8.8]/", /private/],
  ["https://[64:ff9b::7f00:1]/", /private/],
  ["https://169.254.169.254/latest/meta-data/", /private/],
  ["https://10.1.2.3/", /private/],
  ["https://0/", /four decimal/],
  ["https://2130706433/", /four decimal/],
  ["https://0x7f000001/", /four decimal/],
  ["https://0177.0.0.1/", /four decimal/],
  ["https://0x7f.1/", /four decimal/],
  ["https://127.1/", /four decimal/],
  ["https://134744072/", /four decimal/],
  ["https://8.8.8.8./", /four decimal/],
  ["https://①②⑦.⓪.⓪.①/", /four decimal/],
  ["https://localhost/", /local name/],
  ["https://LOCALHOST./", /local name/],
  ["https://localhost../", /local name/],
  ["https://127.0.0.1../", /four decimal/],
  ["https://%6c%6fcalhost/", /local name/],
  ["https://app.localhost/", /local name/],
  ["https://metadata.google.internal/", /local name/],
  ["https://metadata.google.internal./", /local name/],
  ["https://metadata/", /local name/],
  ["https://database/", /local name/],
  ["https://printer.local/", /local name/],
  ["https://service.namespace.svc.cluster.local/", /local name/],
  ["https://other.example/", /allowed here/, { allowHosts: ["hooks.example"] }],
  ["https://hooks.example.evil.example/", /allowed here/, { allowHosts: ["hooks.example"] }],
  ["https://hooks.example/", /allowed here/, { allowHosts: ["*.hooks.example"] }],
  ["https://evilhooks.example/", /allowed here/, { allowHosts: ["*.hooks.example"] }],
  ["https://127.0.0.1/", /private/, { allowHosts: ["127.0.0.1"] }],
  [
    "https://hooks.example/",
    /allowed here/,
    { allowHosts: ["hooks.example:443", "hooks.example/a", "a@hooks.example"] },
  ],
];

for (const [url, why, rules] of refused) {
  test(`SEC-04, OP-PUSH-07: ${JSON.stringify(url).slice(0, 60)} is refused${rules ? ` with ${JSON.stringify(rules)}` : ""}`, () => {
    assert.throws(
      () => checkUrl(url, rules),
      (error) => error instanceof UrlRefused && why.test(error.message),
    );
  });
}

const taken: readonly (readonly [url: string, rules?: UrlRules])[] = [
  ["https://example.com/hook"],
  ["HTTPS://Example.COM/hook?task=1#part"],
  ["https://example.com:8443/"],
  ["https://8.8.8.8/"],
  ["https://[2606:4700::1111]/"],
  ["https://bücher.example/"],
  ["https://localhost.example.com/"],
  ["https://example.com/a@b"],
  ["http://example.com/hook", { allowHttp: true }],
  ["https://hooks.example/", { allowHosts: ["other.example", "Hooks.Example"] }],
  ["https://a.b.hooks.example/", { allowHosts: ["*.hooks.example"] }],
  ["https://bücher.example/", { allowHosts: ["Bücher.example"] }],
  ["https://hooks.bücher.example/", { allowHosts: ["*.bücher.example"] }],
  ["https://hooks.example/", { allowHosts: ["hooks.example."] }],
  ["https://[2606:4700::1111]/", { allowHosts: ["[2606:4700::1111]"] }],
  ["https://[2606:4700::1111]/", { allowHosts: ["2606:4700:0::1111"] }],
  ["https://127.0.0.1/", { allowPrivateNetworks: true }],
  ["https://0x7f.1/", { allowPrivateNetworks: true }],
  ["https://localhost/", { allowPrivateNetworks: true }],
  ["https://[::ffff:127.0.0.1]/", { allowPrivateNetworks: true }],
];

for (const [url, rules] of taken) {
  test(`SEC-05, SEC-06: ${url} is taken${rules ? ` with ${JSON.stringify(rules)}` : ""}`, () => {
    assert.equal(checkUrl(url, rules).href, new URL(url).href);
  });
}

test("the switches for http and private networks do not allow credentials in the URL", () => {
  const rules = { allowHttp: true, allowPrivateNetworks: true };
  assert.throws(() => checkUrl("http://a:b@127.0.0.1/", rules), UrlRefused);
});

test("a host is bare: no brackets, no dots at the end", () => {
  assert.equal(bareHost(new URL("https://[2606:4700::1111]/")), "2606:4700::1111");
  assert.equal(bareHost(new URL("https://Example.com./")), "example.com");
  assert.equal(bareHost(new URL("https://example.com../")), "example.com");
});
