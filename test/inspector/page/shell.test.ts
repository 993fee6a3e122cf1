import assert from "node:assert/strict";
import { test } from "vitest";
import { safeName, safeType } from "../../../src/inspector/page/components/download.js";
import { positionAfter } from "../../../src/inspector/page/components/roving-focus.js";
import { visibleRows } from "../../../src/inspector/page/components/visible-rows.js";
import { readRoute, routeTo } from "../../../src/inspector/page/route.js";
import { completeUrl } from "../../../src/inspector/page/screens/start/complete-url.js";
import { sameOriginUrl } from "../../../src/inspector/page/session/same-origin-url.js";

test("a route survives the way through the URL, whatever is in it", () => {
  const parts = ["a/b", "ü?#%", ""];
  assert.deepEqual(readRoute(routeTo("tasks", ...parts)), { screen: "tasks", rest: parts });
  assert.deepEqual(readRoute(""), { screen: "", rest: [] });
  assert.deepEqual(readRoute("#/wire/%E0%A4%A"), { screen: "wire", rest: ["%E0%A4%A"] });
});

test("the address field completes what people type, and refuses what is no agent", () => {
  const typed: [string, string | undefined][] = [
    ["127.0.0.1:4000", "http://127.0.0.1:4000/"],
    ["localhost:4000/a", "http://localhost:4000/a"],
    ["[::1]:4000", "http://[::1]:4000/"],
    ["agents.example.com/writer", "https://agents.example.com/writer"],
    [" http://agents.example.com ", "http://agents.example.com/"],
    ["", undefined],
    ["two words", undefined],
    ["javascript://x", undefined],
    ["file:///etc/passwd", undefined],
  ];
  for (const [text, url] of typed) assert.equal(completeUrl(text), url, text);
});

test("a mounted page reaches its server same-origin, and no other server", () => {
  const session = { mounted: { url: "http://10.0.0.7:4000/base", agents: [] } };
  const page = "https://proxy.example/inspector/";
  const reach = (url: string) => sameOriginUrl(url, session, page);
  assert.equal(reach("http://10.0.0.7:4000/base/a2a?x=1"), "https://proxy.example/a2a?x=1");
  assert.equal(reach("http://10.0.0.7:4000/base"), "https://proxy.example/");
  assert.equal(reach("https://proxy.example/a"), "https://proxy.example/a");
  assert.throws(() => reach("http://10.0.0.7:4000/baseball"), /own server only/);
  assert.throws(() => reach("https://elsewhere.example/"), /own server only/);
});

test("a long list has the rows in view and a few around them", () => {
  const list = { height: 400, rowHeight: 20, count: 10_000 };
  assert.deepEqual(visibleRows({ ...list, top: 0 }), [0, 28]);
  assert.deepEqual(visibleRows({ ...list, top: 100_000 }), [4992, 5028]);
  assert.deepEqual(visibleRows({ ...list, top: 9980 * 20 }), [9972, 10_000]);
  assert.deepEqual(visibleRows({ ...list, top: 500, count: 3 }), [3, 3]);
});

test("arrow keys go round in a group, and other keys lead nowhere", () => {
  assert.equal(positionAfter("ArrowRight", 2, 3), 0);
  assert.equal(positionAfter("ArrowUp", 0, 3), 2);
  assert.equal(positionAfter("Home", 2, 3), 0);
  assert.equal(positionAfter("End", 0, 3), 2);
  assert.equal(positionAfter("x", 0, 3), undefined);
});

test("what is saved has a type that no program runs, and a name without a path", () => {
  assert.equal(safeType("image/png"), "image/png");
  assert.equal(safeType("text/plain; charset=utf-8"), "text/plain");
  for (const type of [
    "image/svg+xml",
    "text/html",
    "application/pdf",
    "application/xhtml+xml",
    "nonsense",
    undefined,
  ])
    assert.equal(safeType(type), "application/octet-stream", type);
  assert.equal(safeName("../../etc/passwd", "x"), "passwd");
  assert.equal(safeName("C:\\a\\report.pdf", "x"), "report.pdf");
  assert.equal(safeName("..", "part"), "part");
  assert.equal(safeName('a\u0000"b\n.txt', "x"), "ab.txt");
});
