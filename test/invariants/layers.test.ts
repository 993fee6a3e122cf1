import assert from "node:assert/strict";
import { test } from "vitest";
import {
  exactTable,
  fetchWithoutNode,
  generatedAlone,
  generatedDoors,
  importDirection,
  koaOnlyInServer,
  noCycles,
} from "./layers.js";
import { readTree, tree } from "./source-file.js";

const files = readTree("src", "generated", "codegen");

test("imports inside src go down the layers only", () => {
  assert.deepEqual(importDirection(files), []);
});

test("the table of layers permits nothing that is unused", () => {
  assert.deepEqual(exactTable(files), []);
});

test("only a version's codec imports its generated code, and the doors the newest", () => {
  assert.deepEqual(generatedDoors(files), []);
});

test("generated code imports nothing of src, and src nothing of the build", () => {
  assert.deepEqual(generatedAlone(files), []);
});

test("only the server imports koa", () => {
  assert.deepEqual(koaOnlyInServer(files), []);
});

test("no import cycles in src, codegen and generated", () => {
  assert.deepEqual(noCycles(files), []);
});

test("the direction rule sees an import that goes up, of a value, a type, a re-export or a dynamic import", () => {
  const up = [
    'import { serve } from "../server/serve.js";',
    'import type { Serve } from "../server/serve.js";',
    'export { serve } from "../server/serve.js";',
    'const { serve } = await import("../server/serve.js");',
  ];
  for (const text of up) {
    const broken = tree({ "src/engine/run.ts": text, "src/server/koa/serve.ts": "export const serve = 1;" });
    assert.deepEqual(importDirection(broken), [
      "src/engine/run.ts: engine must not import server (../server/serve.js)",
    ]);
  }
});

test("the direction rule keeps the protocol below every folder", () => {
  const broken = tree({
    "src/protocol/model.ts": 'import "../task-log/fold.js";',
    "src/task-log/fold.ts": "",
  });
  assert.deepEqual(importDirection(broken), [
    "src/protocol/model.ts: protocol must not import task-log (../task-log/fold.js)",
  ]);
});

test("the direction rule wants a layer for every folder", () => {
  assert.deepEqual(importDirection(tree({ "src/extra/one.ts": "" })), [
    "src/extra/one.ts: the folder extra has no layer yet",
  ]);
});

test("the direction rule lets imports go down", () => {
  const fine = tree({
    "src/server/koa/serve.ts": 'import "./bindings/reply.js"; import "../protocol/errors.js";',
    "src/server/bindings/reply.ts":
      'import "../../versions/codec.js"; import "./other.js"; import "node:fs";',
  });
  assert.deepEqual(importDirection(fine), []);
});

test("the door rule sees generated code imported elsewhere, by another version, and an old version at a door", () => {
  const broken = tree({
    "generated/v0.3/models.ts": "",
    "generated/v1.0/models.ts": "",
    "src/engine/run.ts": 'import type { Task } from "../../generated/v1.0/models.js";',
    "src/versions/v0.3/decode.ts": 'import "../../../generated/v1.0/models.js";',
    "src/versions/v1.0/decode.ts": 'import "../../../generated/v1.0/models.js";',
    "src/protocol/model.ts": 'export type { Task } from "../../generated/v0.3/models.js";',
    "src/protocol/operations.ts": 'export { operations } from "../../generated/v1.0/operations.js";',
  });
  assert.deepEqual(generatedDoors(broken), [
    "src/engine/run.ts: must not import generated code (../../generated/v1.0/models.js)",
    "src/versions/v0.3/decode.ts: must not import generated code (../../../generated/v1.0/models.js)",
    "src/protocol/model.ts: imports v0.3, but the newest is v1.0",
  ]);
});

test("the rule on generated code sees it import src or a package, and src import the build", () => {
  const broken = tree({
    "generated/v1.0/errors.ts": 'import "../../src/errors.js"; import "./models.js"; import "ajv";',
    "generated/v1.0/models.ts": "",
    "src/protocol/errors.ts": 'import "../../codegen/load.js"; import "jose";',
  });
  assert.deepEqual(generatedAlone(broken), [
    "generated/v1.0/errors.ts: generated code must not import ../../src/errors.js",
    "generated/v1.0/errors.ts: generated code must not import ajv",
    "src/protocol/errors.ts: src must not import ../../codegen/load.js",
  ]);
});

test("the koa rule sees koa, its router and its middleware outside the server", () => {
  const text = 'import Koa from "koa"; import "@koa/router"; import { koaBody } from "koa-body";';
  const broken = tree({ "src/server/koa/serve.ts": text, "src/engine/reply.ts": text });
  assert.deepEqual(koaOnlyInServer(broken), [
    "src/engine/reply.ts: only src/server/koa may import koa",
    "src/engine/reply.ts: only src/server/koa may import @koa/router",
    "src/engine/reply.ts: only src/server/koa may import koa-body",
  ]);
});

test("the fetch host imports nothing of Node", () => {
  assert.deepEqual(fetchWithoutNode(files), []);
  const broken = tree({
    "src/server/fetch/host.ts": 'import { once } from "node:events"; import Koa from "koa";',
  });
  assert.deepEqual(fetchWithoutNode(broken), [
    "src/server/fetch/host.ts: the fetch host must not import node:events",
    "src/server/fetch/host.ts: the fetch host must not import koa",
  ]);
});

test("the cycle rule sees a cycle of types, and a file that imports itself", () => {
  const broken = tree({
    "src/a.ts": 'import type { B } from "./b.js";',
    "src/b.ts": 'export type { C } from "./c.js";',
    "src/c.ts": 'import { a } from "./a.js";',
    "src/d.ts": 'import "./d.js";',
    "src/e.ts": 'import "./a.js"; import "./c.js";',
  });
  assert.deepEqual(noCycles(broken), [
    "src/a.ts -> src/b.ts -> src/c.ts -> src/a.ts",
    "src/d.ts -> src/d.ts",
  ]);
});
