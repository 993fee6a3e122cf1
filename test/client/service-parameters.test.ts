import assert from "node:assert/strict";
import { test } from "vitest";
import { setServiceParameters } from "../../src/client/service-parameters.js";

test("extensions of the caller's own headers, in the name of any version, are sent with those of the client", () => {
  const headers = new Headers({ "A2A-Extensions": "https://a.test", "X-A2A-Extensions": "https://b.test" });
  const extensions = new Set(["https://b.test", "https://c.test"]);
  setServiceParameters(headers, { version: "0.3", extensions, extensionsHeader: "X-A2A-Extensions" });
  assert.deepEqual([...headers].sort(), [
    ["a2a-version", "0.3"],
    ["x-a2a-extensions", "https://a.test,https://b.test,https://c.test"],
  ]);
});
