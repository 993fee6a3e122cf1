import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { root } from "../support/root.js";

const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The section "Where a request goes", without its heading. */
function section(): string {
  const [, after = ""] = read("CONTRIBUTING.md").split("\n## Where a request goes\n");
  return after.split("\n## ")[0] ?? "";
}

const steps = section()
  .split(/\n(?=\d+\. )/)
  .slice(1);

const named = (text: string) =>
  [...text.matchAll(/`((?:src|test)\/[\w./-]+)`/g)].map(([, path = ""]) => path);

test("every file and folder on the page is there", () => {
  const paths = named(section());
  assert.ok(paths.length > 30);
  assert.deepEqual(
    paths.filter((path) => !existsSync(join(root, path))),
    [],
  );
});

test("the road has twelve steps, and each names its files", () => {
  assert.equal(steps.length, 12);
  for (const step of steps) assert.ok(named(step).length > 0, step);
});

test("the files that the pipeline takes its steps from are on the page, in the order in which it takes them", () => {
  const pipeline = read("src/server/pipeline.ts");
  const body = pipeline.slice(pipeline.indexOf("export async function respond"));
  const imports = [...pipeline.matchAll(/^import \{([^}]+)\} from "\.\/([\w-]+)\.js";/gm)];
  const taken = imports
    .flatMap(([, names = "", file = ""]) =>
      names.split(",").map((name) => ({ file: `src/server/${file}.ts`, at: callOf(name.trim(), body) })),
    )
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at);
  const order = [...new Set(taken.map(({ file }) => file))];
  assert.ok(order.length > 5);
  const text = section();
  const places = order.map((file) => text.indexOf(`\`${file}\``));
  assert.ok(!places.includes(-1), `not on the page: ${order.filter((_, index) => places[index] === -1)}`);
  const roads = order.map((file) => steps.findIndex((step) => step.includes(`\`${file}\``)));
  assert.deepEqual(
    roads.filter((step) => step >= 0),
    roads.filter((step) => step >= 0).sort((one, other) => one - other),
  );
});

/** Where a function is called first, or a class is made; -1 when it is not. */
function callOf(name: string, body: string): number {
  return name.startsWith("type ") ? -1 : body.search(new RegExp(`\\b${name}\\(`));
}
