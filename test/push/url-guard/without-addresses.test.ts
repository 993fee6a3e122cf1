import assert from "node:assert/strict";
import { test } from "vitest";
import { UrlGuard } from "../../../src/push/url-guard/url-guard.js";
import { isFetch } from "../../support/hosts.js";

const resolve = async () => ["93.184.216.34"];

test.skipIf(!isFetch)(
  "PUSH-12: where connections go to addresses that cannot be checked, hosts are listed, also with a resolver",
  () => {
    for (const options of [{}, { resolve }])
      assert.throws(() => new UrlGuard(options), /^TypeError: allowHosts: /);
    assert.doesNotThrow(() => new UrlGuard({ resolve, allowHosts: ["hooks.example.com"] }));
  },
);
